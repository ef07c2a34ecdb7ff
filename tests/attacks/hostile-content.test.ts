import { createHash } from 'node:crypto'
import { parse } from 'content-disposition'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PublicLink } from '../../src/shared/contract/links.ts'
import { publicPages } from '../../src/shared/public-pages.ts'
import { cleanFileName } from '../../src/shared/rules/files/file-name.ts'
import { json, makeClient, makeFile, makePerson, type Person } from '../support/make.ts'
import { send } from '../support/send.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/*
 * The attack: upload content that runs scripts, misstates its type or redirects visitors. Or lure
 * people with one of our URLs that redirects to another site.
 */

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app, { tier: 'premium' })
})
afterAll(() => app.close())

function fetchAsVisitor(path: string, headers: Record<string, string> = {}) {
  return makeClient(app).fetch(path, { headers })
}
const browser = { accept: 'text/html,application/xhtml+xml' }
function encode(text: string) {
  return new TextEncoder().encode(text)
}

describe('active content', () => {
  const script = '<script>fetch("/api/auth/user")</script>'
  const svg = `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`

  it.each<[string, string, string, string, string?]>([
    ['HTML', 'text/html', 'page.html', script],
    ['XHTML', 'application/xhtml+xml', 'page.xhtml', script],
    ['SVG', 'image/svg+xml', 'picture.svg', svg],
    ['XML', 'text/xml', 'feed.xml', svg],
    ['a script', 'text/javascript', 'app.js', 'alert(1)'],
    ['a script type in mixed case', 'Application/X-JavaScript', 'app.js', 'alert(1)'],
    ['a style sheet', 'text/css', 'style.css', '* { display: none }'],
    ['a PDF', 'application/pdf', 'paper.pdf', '%PDF-1.7', 'application/pdf'],
    ['HTML declared as an image', 'image/png', 'picture.png', script, 'image/png'],
  ])('is always saved, never rendered or run: %s', async (_, type, name, text, sentType) => {
    const { shortCode } = await makeFile(owner, { name, type, bytes: encode(text) })
    for (const path of [`/s/${shortCode}`, `/api/download/${shortCode}`]) {
      for (const range of ['bytes=0-', 'bytes=1-2', 'none']) {
        const { headers } = await fetchAsVisitor(path, { range })
        expect(headers.get('content-disposition')).toMatch(/^attachment; /)
        expect(headers.get('content-type')).toBe(sentType ?? 'application/octet-stream')
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
        expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      }
    }
  })
})

describe('an uploaded script', () => {
  it.each<Record<string, string>>([
    { 'sec-fetch-dest': 'script' },
    { 'sec-fetch-dest': 'style' },
    { 'sec-fetch-dest': 'worker' },
    { 'sec-fetch-dest': 'sharedworker' },
    { 'sec-fetch-dest': 'serviceworker', 'service-worker': 'script' },
    { 'service-worker': 'script' },
    { 'sec-fetch-dest': 'manifest' },
    { 'sec-fetch-dest': 'embed' },
    { 'sec-fetch-dest': 'object' },
  ])('is rejected as a subresource, and not counted: %j', async (headers) => {
    const type = 'text/javascript'
    const { id, shortCode } = await makeFile(owner, { name: 'a.js', type, bytes: encode('1') })
    for (const path of [`/s/${shortCode}`, `/api/download/${shortCode}`]) {
      const response = await fetchAsVisitor(path, headers)
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ code: 'DOWNLOAD_ONLY' })
    }
    const files = await json<{ id: string }[]>(await owner.fetch('/api/files'))
    expect(files.find((file) => file.id === id)).toMatchObject({
      downloadCount: 0,
      mimeType: type,
    })
  })
})

describe('a file type', () => {
  it.each([
    'text/html\r\nSet-Cookie: a=b',
    'text/html\nX-Header: 1',
    'text / html',
    '"text/html"',
    'text/html, text/plain',
  ])('%j, which could inject a header, is rejected', async (fileType) => {
    const response = await owner.post('/api/files/get-upload-url', {
      fileName: 'a.txt',
      fileSize: 1,
      fileType,
      expirationDays: '3',
    })
    expect(response.status).toBe(400)
  })
})

describe('a file name', () => {
  const names = [
    '../../../../etc/passwd',
    '..\\..\\windows\\win.ini',
    '/etc/passwd',
    'C:\\boot.ini',
    '%2e%2e%2fsecret',
    'a.txt\0.exe',
    'a.txt"; filename="b.exe',
    "a.txt\r\nSet-Cookie: mayfly.session_token=x\r\nContent-Type: text/html\r\n\r\n<script>'",
    'invoice\u202efdp.exe',
    '<img src=x onerror=alert(1)>.png',
    '{{name}}',
    '.',
    '..',
    '   ',
    `${'ü'.repeat(900)}.pdf`,
  ]

  it.each(names)('%j reaches a visitor only as a name', async (name) => {
    const { shortCode } = await makeFile(owner, { name, bytes: encode('x') })
    const cleanName = cleanFileName(name)
    expect(cleanName).not.toMatch(/[/\\<>:"|?*\p{Cc}\u202e]/u)

    const downloadResponse = await fetchAsVisitor(`/api/download/${shortCode}`)
    const disposition = parse(downloadResponse.headers.get('content-disposition') ?? '')
    expect(disposition).toMatchObject({ type: 'attachment', parameters: { filename: cleanName } })
    expect(downloadResponse.headers.getSetCookie()).toEqual([])
    expect(downloadResponse.headers.get('content-type')).toBe('text/plain')

    const detailsResponse = await fetchAsVisitor(`/api/links/${shortCode}`)
    expect(detailsResponse.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await detailsResponse.json()).toMatchObject({ originalName: cleanName })
    const html = await (await fetchAsVisitor(`/s/${shortCode}`, browser)).text()
    expect(html).not.toContain('<img src=x')
    expect(html).not.toContain('\u202e')
  })

  it('is never part of a storage path', async () => {
    const name = '../../../../tmp/mayfly-was-here'
    await makeFile(owner, { name, bytes: encode('x') })
    const keys: string[] = []
    for await (const { key } of app.disk.list()) keys.push(key)
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) expect(key).toMatch(/^[0-9a-z]{26}$/)
  })
})

describe('our pages', () => {
  it("run only scripts and styles from the build, and can't be framed", async () => {
    const { shortCode } = await makeFile(owner)
    const paths = ['/', '/login', '/signup', '/reset-password', '/nowhere', '/api/docs']
    paths.push(`/s/${shortCode}`, `/download/${shortCode}`, '/s/nothing', '/download/nothing')
    paths.push(`/s/${shortCode}/report`, '/s/nothing/report', '/preview', '/share')
    paths.push(...Object.values(publicPages).map(({ path }) => path))
    const responses = await Promise.all(
      paths.map(async (path) => ({ path, headers: (await fetchAsVisitor(path, browser)).headers })),
    )
    for (const { path, headers } of responses) {
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy, path).toMatch(/^default-src 'none'; /)
      expect(policy, path).not.toMatch(/unsafe-|\*|https?:/)
      expect(policy, path).toContain("frame-ancestors 'none'")
      expect(policy, path).toContain("base-uri 'none'")
      expect(policy, path).toMatch(/form-action '(self|none)'/)
      expect(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(headers.get('referrer-policy'), path).toMatch(/^(no-referrer|same-origin)$/)
    }
  })

  it('of the API reference allow only their one inline style', async () => {
    const response = await fetchAsVisitor('/api/docs')
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(await response.text()) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(style).not.toBe('')
    expect(response.headers.get('content-security-policy')).toContain(`'sha256-${hash}'`)
  })
})

describe('an open redirect', () => {
  it.each([
    '/api/login?next=https://evil.example',
    '/api/login?redirect=//evil.example',
    '/api/logout?next=https://evil.example',
    '/api/logout?callbackURL=//evil.example/',
    '//evil.example/',
    '//evil.example/%2e%2e',
    '/\\evil.example',
    '/.//evil.example',
    '/s//evil.example',
    '/login?next=//evil.example',
  ])('through %s is impossible', async (path) => {
    // When a page is opened as localhost, the server redirects to 127.0.0.1. That redirect must not
    // lead to another site either.
    for (const host of ['127.0.0.1', 'localhost']) {
      const headers = { host: `${host}:${app.deps.config.port}`, ...browser }
      const { status, headers: responseHeaders } = await send(app.url, { path, headers })
      const { location } = responseHeaders
      expect(status).toBeLessThan(500)
      if (location === undefined) continue
      expect(new URL(location, app.url).origin).toBe(app.url)
    }
  })
})

describe('public information about a link', () => {
  it('reveals no owner, storage key or download count', async () => {
    const { shortCode } = await makeFile(owner)
    const response = await fetchAsVisitor(`/api/links/${shortCode}`)
    const details = await json<PublicLink>(response)
    const publicNames =
      'branding createdAt expiresAt files hasPassword maxDownloads maxLifetimeAt message mimeType ' +
      'originalName remainingDownloads sha256 shortCode size state title totalSize'
    expect(Object.keys(details).toSorted()).toEqual(publicNames.split(' '))
    const fileNames = 'id mimeType name receivedBytes sha256 size state'
    expect(Object.keys(details.files[0] ?? {}).toSorted()).toEqual(fileNames.split(' '))
    const html = await (await fetchAsVisitor(`/s/${shortCode}`, browser)).text()
    for (const secret of [owner.id, owner.email]) {
      expect(JSON.stringify(details)).not.toContain(secret)
      expect(html).not.toContain(secret)
    }
    expect(html).not.toContain('<img src=x')
    expect(html).not.toContain('\u202e')
  })

  it('is never part of a storage path', async () => {
    const name = '../../../../tmp/mayfly-was-here'
    await makeFile(owner, { name, bytes: encode('x') })
    const keys: string[] = []
    for await (const { key } of app.disk.list()) keys.push(key)
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) expect(key).toMatch(/^[0-9a-z]{26}$/)
  })
})

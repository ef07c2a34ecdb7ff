import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makeClient, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File } from '../../shared/contract/files.ts'
import { fileDownloads } from '../db/schema.ts'
import { countsAsDownload } from './send-download.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app, { tier: 'premium' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return makeClient(app).fetch(path, { method, headers })
}

async function readDownloadCount(id: string) {
  const fileList = await json<File[]>(await owner.fetch('/api/files'))
  return fileList.find((file) => file.id === id)?.downloadCount
}

describe('links opened at the same time', () => {
  it('are looked up in the database each time', async () => {
    const files = await Promise.all(
      ['one.txt', 'two.txt', 'three.txt'].map((name) => makeFile(owner, { name })),
    )
    const codes = [...files, ...files].map(({ shortCode }) => shortCode)
    const readNames = () =>
      Promise.all(
        [...codes, 'bbbbbbbbbb'].map(async (code) => {
          const response = await get(`/api/links/${code}`)
          const body = await json<{ originalName?: string; code?: string }>(response)
          return body.originalName ?? body.code
        }),
      )
    const fileNames = ['one.txt', 'two.txt', 'three.txt']
    expect(await readNames()).toEqual([...fileNames, ...fileNames, 'LINK_NOT_FOUND'])

    expect((await owner.fetch(`/api/files/${files[1]?.id}`, { method: 'DELETE' })).ok).toBe(true)
    const expectedNames = ['one.txt', 'LINK_NOT_FOUND', 'three.txt']
    expect(await readNames()).toEqual([...expectedNames, ...expectedNames, 'LINK_NOT_FOUND'])
  })
})

describe.each(['/api/download/', '/s/'])('GET %s{code}', (basePath) => {
  it("returns an attachment that proxies don't cache and browsers don't run", async () => {
    const file = await makeFile(owner, { name: 'Ünïcode "x" تقرير.html', type: 'text/html' })
    const response = await get(`${basePath}${file.shortCode}`)
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(file.bytes))).toBe(true)
    const headers = Object.fromEntries(response.headers)
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '1000',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[^"]+"$/),
      'x-request-id': expect.any(String),
    })
    expect(headers['content-disposition']).toMatch(
      /^attachment; filename="[^"]+"; filename\*=UTF-8''/,
    )
    expect(headers['content-security-policy']).toContain('sandbox')
    expect(headers['cache-control']).toBe('private, no-cache, no-transform')
  })

  it('answers HEAD like GET, without the bytes', async () => {
    const { shortCode, id } = await makeFile(owner)
    const [headResponse, getResponse] = [
      await get(`${basePath}${shortCode}`, {}, 'HEAD'),
      await get(`${basePath}${shortCode}`),
    ]
    expect(headResponse.status).toBe(200)
    expect(await headResponse.text()).toBe('')
    for (const name of ['content-length', 'content-type', 'etag', 'content-disposition']) {
      expect(headResponse.headers.get(name)).toBe(getResponse.headers.get(name))
    }
    expect(await readDownloadCount(id)).toBe(1)
  })

  it.each([
    ['bytes=0-9', 206, 'bytes 0-9/1000', 10],
    ['bytes=990-', 206, 'bytes 990-999/1000', 10],
    ['bytes=-5', 206, 'bytes 995-999/1000', 5],
    ['bytes=-5000', 206, 'bytes 0-999/1000', 1000],
    ['bytes=500-5000', 206, 'bytes 500-999/1000', 500],
    ['bytes=1000-', 416, 'bytes */1000', undefined],
    ['bytes=5-2', 200, null, 1000],
    ['lines=1-2', 200, null, 1000],
  ])('answers the range %s with %i', async (range, status, contentRange, length) => {
    const { shortCode, bytes } = await makeFile(owner)
    const response = await get(`${basePath}${shortCode}`, { range })
    expect(response.status).toBe(status)
    expect(response.headers.get('content-range')).toBe(contentRange)
    if (length === undefined) return
    const body = Buffer.from(await response.arrayBuffer())
    const start = status === 206 ? Number(/\d+/.exec(contentRange ?? '')?.[0]) : 0
    expect(body.equals(Buffer.from(bytes.subarray(start, start + length)))).toBe(true)
  })

  it('honors If-None-Match and If-Range', async () => {
    const { shortCode } = await makeFile(owner)
    const etag = (await get(`${basePath}${shortCode}`)).headers.get('etag') ?? ''
    expect((await get(`${basePath}${shortCode}`, { 'if-none-match': etag })).status).toBe(304)
    expect((await get(`${basePath}${shortCode}`, { 'if-none-match': '"other"' })).status).toBe(200)
    const range = 'bytes=1-2'
    expect((await get(`${basePath}${shortCode}`, { range, 'if-range': etag })).status).toBe(206)
    expect((await get(`${basePath}${shortCode}`, { range, 'if-range': '"other"' })).status).toBe(
      200,
    )
  })

  it.each(['abcdefghij', 'x', 'nothing-like-a-code', '%2e%2e%2f', "'--"])(
    'returns the same 404 for the code %j',
    async (code) => {
      const response = await get(`${basePath}${code}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({
        code: 'LINK_NOT_FOUND',
        message: 'File not found or expired',
      })
    },
  )

  it('returns an empty file', async () => {
    const { shortCode } = await makeFile(owner, { bytes: new Uint8Array() })
    const response = await get(`${basePath}${shortCode}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-length')).toBe('0')
  })
})

describe('the download count', () => {
  it('increases once per download', async () => {
    const { id, shortCode } = await makeFile(owner)
    const path = `/api/download/${shortCode}`
    await (await get(path)).arrayBuffer()
    await get(path, { range: 'bytes=500-' })
    await get(path, { range: 'bytes=-1' })
    await get(path, {}, 'HEAD')
    await get(path, { 'if-match': '"other"' })
    await get(path, { 'if-modified-since': new Date(Date.now() + 9e9).toUTCString() })
    await get(path, { 'user-agent': 'Slackbot-LinkExpanding 1.0' })
    expect(await readDownloadCount(id)).toBe(1)
    await get(path, { range: 'bytes=0-' })
    expect(await readDownloadCount(id)).toBe(2)
    await get(path, { 'if-none-match': '"other"' })
    expect(await readDownloadCount(id)).toBe(3)
    const days = await app.deps.db.select().from(fileDownloads)
    expect(days).toContainEqual({
      fileId: id,
      day: app.clock().toISOString().slice(0, 10),
      count: 3,
    })
  })

  it('excludes page views by browsers and bots', async () => {
    const { id, shortCode } = await makeFile(owner)
    for (const path of [`/s/${shortCode}`, `/download/${shortCode}`]) {
      expect((await get(path, browser)).status).toBe(200)
    }
    const preview = await get(`/s/${shortCode}`, {
      'user-agent': 'facebookexternalhit/1.1',
      accept: '*/*',
    })
    expect(preview.headers.get('content-type')).toContain('text/html')
    await get(`/api/links/${shortCode}`)
    expect(await readDownloadCount(id)).toBe(0)
  })
})

describe('a client that disconnects early', () => {
  it('neither crashes the server nor leaks the file handle', async () => {
    const { shortCode } = await makeFile(owner, { bytes: new Uint8Array(8 * 1024 ** 2) })
    const { hostname, port } = new URL(app.url)
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => {})
        socket.write(`GET /api/download/${shortCode} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
        if (n % 2) await new Promise((resolve) => socket.once('data', resolve))
        socket.destroy()
      }),
    )
    await expect.poll(() => app.disk.transfers.activeCount()).toBe(0)
    expect((await get('/api/health')).status).toBe(200)
  })
})

describe('countsAsDownload', () => {
  it.each([
    [0, undefined, true],
    [0, 'curl/8.5.0', true],
    [1, 'curl/8.5.0', false],
    [0, 'Twitterbot/1.0', false],
  ])('from offset %i, by %s: %s', (start, userAgent, isCounted) => {
    expect(countsAsDownload(start, userAgent)).toBe(isCounted)
  })
})

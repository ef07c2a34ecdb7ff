import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import {
  errorCodeOf,
  type HttpResponse,
  type SendOptions,
  send,
} from '../../../tests/support/send.ts'
import { appPaths } from '../../shared/pages.ts'
import { signedInHintCookie } from '../../shared/signed-in-hint.ts'
import { StartupError } from '../errors.ts'
import { createWebFiles } from './web-files.ts'

const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'
const script = 'document.documentElement.dataset.theme="dark"'
const indexHtml = `<!doctype html><title>Mayfly</title><script>${script}</script><div id="root"></div>`
const code = `export const greeting = '${'Grüße '.repeat(100)}'`
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10])
const secret = 'what lies outside'

function createCompressedFiles(name: string, text: string) {
  return {
    [name]: text,
    [`${name}.br`]: brotliCompressSync(text),
    [`${name}.gz`]: gzipSync(text),
  }
}

const builtFiles: Record<string, string | Buffer> = {
  ...createCompressedFiles('web/index.html', indexHtml),
  ...createCompressedFiles('web/assets/app-Ab12_x-9.js', code),
  'web/assets/picture-Cd34.png': picture,
  'web/assets/letters-Ef56.woff2': picture,
  'web/favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'web/download.html': '<!doctype html><h1>{{name}}</h1>',
  'web/download-invalid.html': '<!doctype html><h1>Invalid download link</h1>',
  'secret.txt': secret,
}

let folder: string
let server: BareServer
let httpsServer: BareServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-web-'))
  await mkdir(join(folder, 'web/assets'), { recursive: true })
  for (const [file, body] of Object.entries(builtFiles)) await writeFile(join(folder, file), body)
  const serve = (appUrl: string, connect?: string[]) => {
    const distDir = join(folder, 'web')
    const serveFiles = createWebFiles({
      distDir,
      appUrl: new URL(appUrl),
      ...(connect && { connect }),
    })
    return serveBare((app) => app.get('*', serveFiles))
  }
  server = await serve('http://127.0.0.1:3000')
  httpsServer = await serve('https://files.example.org', ['https://bytes.example.org'])
  // All files were read at startup, so deleting the folder has no effect.
  await rm(join(folder, 'web'), { recursive: true })
})
afterAll(async () => {
  await Promise.all([server.close(), httpsServer.close()])
  await rm(folder, { recursive: true })
})

function get(path: string, headers: Record<string, string> = {}, options: SendOptions = {}) {
  return send(server.url, { ...options, path, headers })
}

function getAsBrowser(path: string) {
  return get(path, { accept: browser })
}

function decompressBody({ headers, body }: HttpResponse): string {
  const coding = headers['content-encoding']
  const bytes = coding === 'br' ? brotliDecompressSync(body) : coding ? gunzipSync(body) : body
  return bytes.toString()
}

const appPath = '/assets/app-Ab12_x-9.js'

describe('files', () => {
  it.each([
    [appPath, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/picture-Cd34.png', 'image/png', 'public, max-age=31536000, immutable'],
    ['/assets/letters-Ef56.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
    ['/favicon.svg', 'image/svg+xml', 'no-cache'],
  ])('%s is served unchanged as %s with Cache-Control %s', async (path, type, cacheControl) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.body).toEqual(Buffer.from(builtFiles[`web${path}`] ?? ''))
    expect(response.headers).toMatchObject({
      'content-type': type,
      'cache-control': cacheControl,
      'content-length': String(response.body.length),
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
  })

  it('are served regardless of the query', async () => {
    expect((await get(`${appPath}?v=1`)).body.toString()).toBe(code)
  })

  it.each(['POST', 'PUT', 'DELETE'])("don't answer %s", async (method) => {
    expect((await get(appPath, {}, { method })).status).toBe(404)
  })
})

describe('the coding of a file', () => {
  it.each([
    [undefined, undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
  ])('for Accept-Encoding %j is %j', async (acceptEncoding, coding) => {
    for (const path of [appPath, '/account']) {
      const response = await get(
        path,
        acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
      )
      expect(response.status).toBe(200)
      expect(response.headers['content-encoding']).toBe(coding)
      expect(response.headers['content-length']).toBe(String(response.body.length))
      expect(response.headers.vary).toContain('Accept-Encoding')
      expect(decompressBody(response)).toBe(path === appPath ? code : indexHtml)
    }
  })

  it('is identity if the build wrote no compressed file', async () => {
    const response = await get('/assets/picture-Cd34.png', { 'accept-encoding': 'br, gzip' })
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(response.body).toEqual(picture)
  })
})

describe('a cached response', () => {
  it('is not sent again', async () => {
    const { headers } = await get(appPath, { 'accept-encoding': 'br' })
    const conditionalHeaders = { 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' }
    for (const method of ['GET', 'HEAD']) {
      const response = await get(appPath, conditionalHeaders, { method })
      expect(response.status).toBe(304)
      expect(response.body.length).toBe(0)
      expect(response.headers).toMatchObject({
        etag: headers.etag,
        vary: 'Accept-Encoding',
        'cache-control': 'public, max-age=31536000, immutable',
      })
    }
  })
})

describe('HEAD', () => {
  it.each([appPath, '/account', '/favicon.svg'])(
    '%s has the headers of GET and no body',
    async (path) => {
      const headers = { accept: browser, 'accept-encoding': 'br' }
      const [headResponse, getResponse] = [
        await get(path, headers, { method: 'HEAD' }),
        await get(path, headers),
      ]
      expect(headResponse.status).toBe(getResponse.status)
      expect(headResponse.body.length).toBe(0)
      expect(getResponse.body.length).toBeGreaterThan(0)
      const { date: _head, ...headHeaders } = headResponse.headers
      const { date: _full, ...getHeaders } = getResponse.headers
      expect(headHeaders).toEqual(getHeaders)
    },
  )
})

describe("the application's pages", () => {
  const hintHeaders = { cookie: `${signedInHintCookie}=abc` }

  it.each([...appPaths, '/account?linked=google'])('%s get the HTML', async (path) => {
    for (const accept of [browser, '*/*']) {
      const response = await get(path, { accept, ...hintHeaders })
      expect(response.status).toBe(200)
      expect(response.body.toString()).toBe(indexHtml)
      expect(response.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        vary: path === '/' ? 'Cookie, Accept-Encoding' : 'Accept-Encoding',
      })
    }
    const { etag = '', link } = (await get(path, hintHeaders)).headers
    // Other pages don't need the user at once, or not at all.
    expect(link?.includes('/api/auth/user') ?? false).toBe(path === '/')
    expect((await get(path, { ...hintHeaders, 'if-none-match': etag })).status).toBe(304)
  })

  it.each(['', 'other=1', `${signedInHintCookie}=`, `x${signedInHintCookie}=abc`])(
    'leave / to the next handler without the signed-in hint: %j',
    async (cookie) => {
      const response = await get('/', { accept: browser, ...(cookie && { cookie }) })
      expect(errorCodeOf(response)).toBe('NOT_FOUND')
    },
  )

  it.each([
    '/nowhere',
    '/log',
    '/a/b/c',
    '/index.html',
    '/download.html',
    '/download-invalid.html',
  ])('leave %s to the next handler', async (path) => {
    const response = await getAsBrowser(path)
    expect(response.status).toBe(404)
    expect(errorCodeOf(response)).toBe('NOT_FOUND')
  })

  it.each([
    '/assets/app-Ab12_x-8.js',
    `${appPath}.br`,
    `${appPath}.gz`,
    `${appPath}/`,
    `${appPath}%00`,
    '/assets/',
  ])('never answer %s with the HTML', async (path) => {
    const response = await getAsBrowser(path)
    expect(response.status).toBe(404)
    expect(errorCodeOf(response)).toBe('NOT_FOUND')
  })
})

describe('path traversal', () => {
  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%2fsecret.txt',
    '/%252e%252e/secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..\\..\\secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//secret.txt',
    '/./../secret.txt',
    '/%zz',
    '/assets/%c0%ae%c0%ae/secret.txt',
    '/__proto__',
    '/constructor',
  ])('to %s finds nothing', async (path) => {
    for (const accept of [browser, '*/*']) {
      const response = await get(path, { accept })
      expect([400, 404]).toContain(response.status)
      expect(response.body.toString()).not.toContain(secret)
    }
  })
})

describe('the security headers of the HTML', () => {
  const hash = createHash('sha256').update(script).digest('base64')

  it('allow only its inline script', async () => {
    const policy = String((await getAsBrowser('/account')).headers['content-security-policy'])
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`)
    expect(policy).not.toContain('unsafe-')
    expect(policy).toContain("connect-src 'self';")
  })

  it('keep tokens in URLs out of the referrer', async () => {
    const fetchReferrerPolicy = async (path: string) =>
      (await getAsBrowser(path)).headers['referrer-policy']
    expect(await fetchReferrerPolicy('/reset-password?token=x')).toBe('no-referrer')
    expect(await fetchReferrerPolicy('/account')).toBe('same-origin')
    expect((await getAsBrowser('/reset-password')).headers['x-robots-tag']).toBe('noindex')
  })

  it('allow requests to storage', async () => {
    const { headers } = await send(httpsServer.url, { path: '/account' })
    expect(headers['content-security-policy']).toContain(
      "connect-src 'self' https://bytes.example.org;",
    )
  })

  it('include HSTS only for a public https origin', async () => {
    const header = 'strict-transport-security'
    expect((await getAsBrowser('/account')).headers).not.toHaveProperty(header)
    expect((await send(httpsServer.url, { path: '/account' })).headers[header]).toMatch(
      /^max-age=\d+$/,
    )
  })
})

describe('a missing build', () => {
  it.each(['', 'nowhere'])('fails the startup with a remedy (%j)', (name) => {
    const start = () =>
      createWebFiles({ distDir: join(folder, name), appUrl: new URL('http://127.0.0.1:3000') })
    expect(start).toThrow(StartupError)
    expect(start).toThrow('npm run build')
  })
})

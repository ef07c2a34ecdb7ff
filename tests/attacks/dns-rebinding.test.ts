import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, makePerson, type Person, startUpload } from '../support/make.ts'
import { errorCodeOf, requestTarget, send, statusAndErrorCode } from '../support/send.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack (DNS rebinding): a browser on the server's machine opens a page of rebound.example,
 * whose name then resolves to 127.0.0.1. To the page's scripts, our responses are now same-origin.
 */
let app: TestApp
let proxiedApp: TestApp
let person: Person
let port: string

beforeAll(async () => {
  app = await startTestApp()
  proxiedApp = await startTestApp({
    env: { APP_URL: 'https://files.example.org', TRUST_PROXY: 'on' },
  })
  person = await makePerson(app)
  port = new URL(app.url).port
})
afterAll(() => Promise.all([app.close(), proxiedApp.close()]))

function makeReboundHeaders() {
  return {
    host: `rebound.example:${port}`,
    origin: `http://rebound.example:${port}`,
  }
}

/**
 * Sends a raw request, which must contain `Connection: close`. Returns the status and the whole
 * response.
 */
function exchange(server: TestApp, head: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.deps.config.port, '127.0.0.1', () => socket.write(head))
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('end', () => resolve({ status: Number(text.split(' ')[1]), text }))
  })
}

function joinLines(...head: string[]) {
  return `${head.join('\r\n')}\r\nConnection: close\r\n\r\n`
}

describe('a page on a rebound host name', () => {
  it("can't guess passwords", async () => {
    const response = await send(`${app.url}/api/auth/login`, {
      method: 'POST',
      headers: { ...makeReboundHeaders(), 'content-type': 'application/json' },
      body: JSON.stringify({ email: person.email, password: person.password }),
    })
    expect(statusAndErrorCode(response)).toEqual([421, 'HOST_NOT_SERVED'])
    expect(response.headers['set-cookie']).toBeUndefined()
  })

  it.each([
    '/',
    '/login',
    '/api/auth/user',
    '/api/docs',
    '/api/openapi.json',
    '/api/health/x',
    '/api/healthy',
    '//api/health',
    '/metricsx',
    '/favicon.svg',
    '/nowhere',
  ])('gets nothing from %s', async (path) => {
    const response = await send(app.url, { path, headers: makeReboundHeaders() })
    expect(statusAndErrorCode(response)).toEqual([421, 'HOST_NOT_SERVED'])
    expect(response.headers['access-control-allow-origin']).toBeUndefined()
  })

  it("can't upload or download with presigned URLs", async () => {
    const { uploadUrl } = await startUpload(person, { size: 4 })
    const putRequest = { method: 'PUT', path: requestTarget(uploadUrl), body: 'body' }
    const typeHeader = { 'content-type': 'application/octet-stream' }
    const response = await send(app.url, {
      ...putRequest,
      headers: { ...typeHeader, ...makeReboundHeaders() },
    })
    expect(statusAndErrorCode(response)).toEqual([421, 'HOST_NOT_SERVED'])
    const continueHeaders = { ...makeReboundHeaders(), ...typeHeader, expect: '100-continue' }
    expect((await send(app.url, { ...putRequest, headers: continueHeaders })).status).toBe(421)

    const { shortCode } = await makeFile(person)
    for (const path of [
      `/s/${shortCode}`,
      `/api/download/${shortCode}`,
      `/download/${shortCode}`,
    ]) {
      expect((await send(app.url, { path, headers: makeReboundHeaders() })).status).toBe(421)
    }
    const [file] = await (await person.fetch('/api/files')).json()
    expect(file.downloadCount).toBe(0)
  })

  it("gets an error with the reason, which doesn't echo the request", async () => {
    const apiResponse = await send(app.url, { headers: makeReboundHeaders() })
    expect(JSON.parse(apiResponse.body.toString()).message).toBe(
      `This server does not serve this host. Open ${app.url}, or set APP_URL to the address that people open.`,
    )
    const pageResponse = await send(app.url, {
      headers: { ...makeReboundHeaders(), accept: 'text/html,*/*;q=0.8' },
    })
    expect(pageResponse.status).toBe(421)
    expect(pageResponse.headers['content-type']).toBe('application/json')
    expect(pageResponse.body.toString()).not.toMatch('rebound')
  })

  it('is logged once', () => {
    const hostWarnings = app.logLines.filter(({ msg }) => msg.includes('unknown host'))
    expect(hostWarnings).toHaveLength(1)
    expect(hostWarnings[0]).toMatchObject({ level: 40, host: `rebound.example:${port}` })
  })
})

describe('a request that names two hosts', () => {
  it('is rejected, even if one of them is ours', async () => {
    const [servedHost, foreignHost] = [`Host: 127.0.0.1:${port}`, 'hOST: evil.example']
    for (const hosts of [
      [servedHost, foreignHost],
      [foreignHost, servedHost],
      [servedHost, servedHost],
    ]) {
      const { status } = await exchange(app, joinLines('GET /api/auth/user HTTP/1.1', ...hosts))
      expect(status).toBe(400)
    }
  })

  it.each([
    ['GET http://evil.example/login HTTP/1.1', 421],
    ['GET HTTP://evil.example/login HTTP/1.1', 421],
    ['GET http://evil.example/storage/x HTTP/1.1', 421],
    ['GET http://evil.example/api/health HTTP/1.1', 421],
    ['GET http:///login HTTP/1.1', 421],
    ['GET http://127.0.0.1@evil.example/login HTTP/1.1', 421],
    ['GET http://127.0.0.1/login HTTP/1.1', 200],
  ])('%s returns %i', async (line, status) => {
    expect((await exchange(app, joinLines(line, `Host: 127.0.0.1:${port}`))).status).toBe(status)
  })

  it('is rejected if only its request target names our host', async () => {
    const line = `GET http://127.0.0.1:${port}/login HTTP/1.1`
    expect((await exchange(app, joinLines(line, 'Host: evil.example'))).status).toBe(421)
  })
})

describe('a request without a host', () => {
  it('can reach only the health endpoint', async () => {
    expect((await exchange(app, joinLines('GET /login HTTP/1.0'))).status).toBe(421)
    expect((await exchange(app, joinLines('GET /api/health HTTP/1.0'))).status).toBe(200)
    expect((await exchange(app, joinLines('GET /login HTTP/1.1'))).status).toBe(400)
    expect((await exchange(app, joinLines('GET /login HTTP/1.1', 'Host:'))).status).toBe(421)
  })
})

describe('behind a proxy', () => {
  const get = (path: string, headers: Record<string, string>) =>
    send(`http://127.0.0.1:${proxiedApp.deps.config.port}`, { path, headers })

  it('ignores X-Forwarded-Host', async () => {
    for (const name of ['x-forwarded-host', 'x-host', 'x-original-host', 'forwarded']) {
      const value = name === 'forwarded' ? 'host=files.example.org' : 'files.example.org'
      const response = await get('/login', { host: 'evil.example', [name]: value })
      expect(errorCodeOf(response)).toBe('HOST_NOT_SERVED')
      expect(
        (await get('/login', { host: 'files.example.org', [name]: 'evil.example' })).status,
      ).toBe(200)
    }
  })

  it('serves only the public name, as forwarded by nginx and Caddy', async () => {
    for (const host of ['files.example.org', 'Files.Example.Org', 'files.example.org:443']) {
      expect((await get('/login', { host })).status).toBe(200)
    }
    for (const host of ['127.0.0.1:3000', 'localhost', '192.0.2.7', 'files.example.org.']) {
      expect((await get('/login', { host })).status).toBe(421)
    }
  })

  it('accepts health checks and metrics requests for any host', async () => {
    for (const host of ['10.0.0.7:3000', 'mayfly_app:3000', 'evil.example', 'localhost']) {
      for (const path of ['/api/health', '/api/ready', '/api/ready?probe=1']) {
        expect((await get(path, { host })).status).toBe(200)
      }
      expect((await get('/metrics', { host })).status).not.toBe(421)
    }
  })
})

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Admit, admitHost, createServedHosts } from './hosts.ts'

const appUrl = new URL('https://files.example.org')
const ownHost = 'Host: files.example.org'
const foreignHost = 'Host: evil.example'

let admit: Admit
let warnings: object[]
let server: Server
beforeAll(async () => {
  server = createServer({ requireHostHeader: false }, (request, response) => {
    if (admit(request, response)) response.end('admitted')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
beforeEach(() => {
  warnings = []
  const log = { warn: (details: object) => void warnings.push(details) }
  admit = admitHost(createServedHosts({ appUrl, appUrlIsSet: true }), { appUrl, log })
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** Sends these lines as a request. Returns the response's status, head and body. */
async function sendRequest(...lines: string[]) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'))
  const responseText = await text(socket)
  const [head = '', body = ''] = responseText.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body }
}

describe('a request is admitted', () => {
  it.each([
    ['for our host', 'GET / HTTP/1.1', [ownHost]],
    ['with our host in upper case and a port', 'GET / HTTP/1.1', ['hOST: FILES.example.org:443']],
    [
      'with our host in the target and the header',
      'GET http://files.example.org/ HTTP/1.1',
      [ownHost],
    ],
    ['for the health check, with any host', 'GET /api/health HTTP/1.1', [foreignHost]],
    ['for the readiness check, with a query', 'GET /api/ready?probe HTTP/1.1', [foreignHost]],
    ['for the metrics, without a host', 'GET /metrics HTTP/1.0', []],
  ])('%s', async (_, requestLine, headers) => {
    expect((await sendRequest(requestLine, ...headers)).body).toBe('admitted')
    expect(warnings).toEqual([])
  })
})

describe('a request is refused', () => {
  it.each([
    ['for another host', 'GET / HTTP/1.1', [foreignHost]],
    ['for a subdomain of our host', 'GET / HTTP/1.1', ['Host: x.files.example.org']],
    ['without a host', 'GET / HTTP/1.0', []],
    ['with an empty host', 'GET / HTTP/1.1', ['Host:']],
    ['if only the target names our host', 'GET https://files.example.org/ HTTP/1.1', [foreignHost]],
    ['if the target names another host', 'GET HTTP://evil.example/ HTTP/1.1', [ownHost]],
    [
      'with user info before the host',
      'GET http://files.example.org@evil.example/ HTTP/1.1',
      [ownHost],
    ],
    ['for a path that starts like the health check', 'GET /api/healthy HTTP/1.1', [foreignHost]],
    ['for a path that ends like the health check', 'GET /x/api/health HTTP/1.1', [foreignHost]],
    [
      'for a health check whose target names another host',
      'GET http://evil.example/api/health HTTP/1.1',
      [ownHost],
    ],
    [
      'despite X-Forwarded-Host',
      'GET / HTTP/1.1',
      [foreignHost, 'X-Forwarded-Host: files.example.org'],
    ],
  ])('%s', async (_, requestLine, headers) => {
    const { status, body } = await sendRequest(requestLine, ...headers)
    expect(status).toBe(421)
    expect(JSON.parse(body)).toMatchObject({
      code: 'HOST_NOT_SERVED',
      message: expect.stringContaining('Open https://files.example.org, or set APP_URL'),
    })
    expect(warnings).toHaveLength(1)
  })

  it.each([
    [ownHost, foreignHost],
    [foreignHost, ownHost],
    [ownHost, 'hOST: files.example.org'],
  ])('with two Host headers: %s and %s', async (...hosts) => {
    const { status, body } = await sendRequest('GET / HTTP/1.1', ...hosts)
    expect(status).toBe(400)
    expect(JSON.parse(body)).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('and logged once, with the first 200 characters of the host', async () => {
    await sendRequest('GET / HTTP/1.1', `Host: ${'x'.repeat(300)}`)
    await sendRequest('GET / HTTP/1.1', foreignHost)
    expect(warnings).toEqual([{ host: 'x'.repeat(200), appUrl: 'https://files.example.org' }])
  })
})

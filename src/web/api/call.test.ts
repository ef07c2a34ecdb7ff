import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, call, callForPage, NetworkError } from './call.ts'

type ReceivedRequest = { method?: string; url?: string; type?: string; body: string }

const realFetch = fetch
const closeCallbacks: (() => Promise<void>)[] = []
beforeEach(() => {
  vi.stubGlobal('document', { cookie: '' })
})
afterEach(async () => {
  vi.unstubAllGlobals()
  for (const close of closeCallbacks.splice(0)) await close()
})

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method, url, headers } = request
    requests.push({ method, url, type: headers['content-type'], body })
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeCallbacks.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => realFetch(origin + path, init))
  return requests
}

function serveResponse(status: number, body: string) {
  return serve((_, response) => response.writeHead(status).end(body))
}

function getRejection(promise: Promise<unknown>) {
  return promise.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error,
  )
}

test('encodes path parameters and sends no content type without a body', async () => {
  const requests = await serveResponse(200, '{"message":"gone"}')
  expect(await call('DELETE /api/files/{id}', { params: { id: 'a/b?ü' } })).toEqual({
    message: 'gone',
  })
  expect(requests).toEqual([
    { method: 'DELETE', url: '/api/files/a%2Fb%3F%C3%BC', type: undefined, body: '' },
  ])
})

test('encodes the query and omits undefined values', async () => {
  const requests = await serveResponse(200, '[]')
  await call('GET /api/files', { query: { limit: 2, cursor: undefined } })
  await call('GET /api/files')
  await call('GET /api/files', { query: { cursor: 'a&b=c' } })
  expect(requests.map(({ url }) => url)).toEqual([
    '/api/files?limit=2',
    '/api/files',
    '/api/files?cursor=a%26b%3Dc',
  ])
})

test('returns a page with the cursor of the next one, or null for the last page', async () => {
  const pages: Record<string, string | undefined> = { '/api/files?limit=1': 'abc' }
  await serve(({ url = '' }, response) => {
    const nextCursor = pages[url]
    response
      .writeHead(200, nextCursor === undefined ? {} : { 'x-next-cursor': nextCursor })
      .end('[]')
  })
  expect(await callForPage('GET /api/files', { query: { limit: 1 } })).toEqual({
    items: [],
    next: 'abc',
  })
  const lastPage = await callForPage('GET /api/files', { query: { limit: 1, cursor: 'abc' } })
  expect(lastPage).toEqual({ items: [], next: null })
})

test('sends a JSON content type with a body', async () => {
  const requests = await serveResponse(200, '{}')
  const body = { email: 'ada@example.org', password: 'pä"ss' }
  await call('POST /api/auth/login', { body })
  expect(requests[0]).toMatchObject({ method: 'POST', type: 'application/json' })
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual(body)
})

test('includes credentials', async () => {
  let credentials: RequestCredentials | undefined
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    credentials = init.credentials
    return new Response('{"status":"ok"}')
  })
  await call('GET /api/health')
  expect(credentials).toBe('include')
})

test("an error status throws '{status}: {body text}' with the code and public message", async () => {
  const body = '{"message":"Unauthorized","code":"UNAUTHORIZED"}'
  await serveResponse(401, body)
  const error = await getRejection(call('GET /api/files'))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    message: `401: ${body}`,
    status: 401,
    code: 'UNAUTHORIZED',
    publicMessage: 'Unauthorized',
  })
})

test("an error status without a body throws '{status}: {status text}'", async () => {
  await serveResponse(503, '')
  expect(await getRejection(call('GET /api/settings/version'))).toMatchObject({
    message: '503: Service Unavailable',
    code: undefined,
    publicMessage: undefined,
  })
})

test('an error contains the Retry-After header', async () => {
  await serve((_, response) => response.writeHead(429, { 'retry-after': '7' }).end())
  expect(await getRejection(call('GET /api/settings/version'))).toMatchObject({
    status: 429,
    retryAfter: '7',
  })
})

test.each(['<h1>Bad gateway</h1>', '[1]', 'null', '"text"', '{"message":7}'])(
  'an error body in another format provides no public message: %s',
  async (body) => {
    await serveResponse(502, body)
    expect(await getRejection(call('GET /api/settings/version'))).toMatchObject({
      message: `502: ${body}`,
      publicMessage: undefined,
    })
  },
)

test('a dropped connection is a network error', async () => {
  await serve((request) => request.socket.destroy())
  expect(await getRejection(call('GET /api/settings/version'))).toBeInstanceOf(NetworkError)
})

test('an OK response that is not JSON is a network error', async () => {
  await serveResponse(200, '<html>a login page of the wifi</html>')
  expect(await getRejection(call('GET /api/settings/version'))).toBeInstanceOf(NetworkError)
})

test("an aborted call throws the signal's reason", async () => {
  const controller = new AbortController()
  await serve(() => controller.abort(new Error('left')))
  expect(
    await getRejection(call('GET /api/settings/version', { signal: controller.signal })),
  ).toMatchObject({
    message: 'left',
  })
})

test('bypasses the browser cache only if `fresh` is set', async () => {
  const cacheModes: unknown[] = []
  vi.stubGlobal('fetch', async (_: string, { cache }: RequestInit) => {
    cacheModes.push(cache)
    return Response.json({ price: 9 })
  })
  await call('GET /api/settings/premium-price', { fresh: true })
  await call('GET /api/settings/premium-price')
  expect(cacheModes).toEqual(['reload', undefined])
})

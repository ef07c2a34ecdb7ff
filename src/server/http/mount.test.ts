import { once } from 'node:events'
import { connect } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import { type SendOptions, send, statusAndErrorCode } from '../../../tests/support/send.ts'
import { testClock } from '../../../tests/support/test-clock.ts'
import type { Endpoint } from '../../shared/contract/endpoint.ts'
import { type EndpointName, endpoints } from '../../shared/contract/index.ts'
import { AppError } from '../errors.ts'
import { createServedHosts, sameOrigin } from './hosts.ts'
import { type Call, type Handlers, mount } from './mount.ts'
import { requestContext } from './request-context.ts'
import type { Session, SessionUser } from './session.ts'

type AnyCall = Call<Endpoint>

const names = Object.keys(endpoints) as EndpointName[]
/** All endpoints, with example values for path parameters. */
const rows = names.map((name) => {
  const row: Endpoint = endpoints[name]
  return { name, ...row, path: row.path.replaceAll(/\{\w+\}/g, 'abcdefghij') }
})

/** The calls that reached a handler. */
let calls: { name: EndpointName; call: AnyCall }[] = []
/** The value that every handler returns. */
let response: unknown
/** The session that every request has. */
let session: Session | null
/** How many times the session was read. */
let sessionReadCount = 0

let server: BareServer
beforeAll(async () => {
  const handlers = Object.fromEntries(
    names.map((name) => [
      name,
      (call: AnyCall) => {
        calls.push({ name, call })
        return response
      },
    ]),
  ) as unknown as Handlers
  const hosts = createServedHosts({ appUrl: new URL('http://127.0.0.1'), appUrlIsSet: false })
  const deps = { log: pino({ level: 'silent' }), clock: testClock() }
  server = await serveBare((app) => {
    app.use(requestContext(deps, { trustedProxies: null, hosts }))
    const readSession = async () => {
      sessionReadCount += 1
      return session
    }
    const origin = sameOrigin(hosts, new URL('http://127.0.0.1'))
    const keyCaller = async (): Promise<never> => {
      throw new AppError('UNAUTHORIZED')
    }
    const options = {
      sameOrigin: origin,
      session: readSession,
      keyCaller,
      sender: async () => null,
      shedLoad: () => {},
    }
    app.route('/', mount(handlers, options))
  })
})
afterAll(() => server.close())

beforeEach(() => {
  calls = []
  response = { message: 'done' }
  session = makeSession('user')
  sessionReadCount = 0
})

function makeSession(role: 'user' | 'admin'): Session {
  return { id: 'a session', user: { id: 'ada', role } as SessionUser }
}

function sendRequest(method: string, path: string, options: SendOptions = {}) {
  return send(`${server.url}${path}`, { method, ...options })
}

describe('access', () => {
  it.each(rows.filter(({ access }) => access !== 'visitor'))(
    '$method $path: requires a session before the handler runs',
    async ({ method, path }) => {
      session = null
      const headers = { accept: 'application/json' }
      const response = await sendRequest(method, path, { headers })
      expect(statusAndErrorCode(response)).toEqual([401, 'UNAUTHORIZED'])
      expect(calls).toEqual([])
    },
  )

  it.each(rows.filter(({ access }) => access === 'admin'))(
    '$method $path: requires the administrator',
    async ({ method, path }) => {
      expect(statusAndErrorCode(await sendRequest(method, path))).toEqual([403, 'FORBIDDEN'])
      expect(calls).toEqual([])
    },
  )

  it('an unauthorized caller sees no other errors', async () => {
    session = null
    const response = await sendRequest('POST', '/api/auth/change-password', { body: '{' })
    expect(statusAndErrorCode(response)).toEqual([401, 'UNAUTHORIZED'])
  })

  it('a call open to visitors reads no session', async () => {
    response = { status: 'ok' }
    expect((await sendRequest('GET', '/api/health')).status).toBe(200)
    expect(sessionReadCount).toBe(0)
    expect(calls[0]?.call.user).toBeUndefined()
  })

  it("a handler gets the caller's user, session and address", async () => {
    await sendRequest('DELETE', '/api/files/abcdefghij')
    const [{ name, call } = { name: undefined, call: undefined }] = calls
    expect(name).toBe('deleteFile')
    expect(call).toMatchObject({
      user: { id: 'ada' },
      sessionId: 'a session',
      clientAddress: '127.0.0.1',
      publicOrigin: server.url,
      params: { id: 'abcdefghij' },
    })
  })
})

describe('an undeclared method', () => {
  it.each([
    ['POST', '/api/health', 'GET, HEAD'],
    ['GET', '/api/files/bulk', 'DELETE'],
    ['PUT', '/api/auth/user', 'DELETE, GET, HEAD, PATCH'],
  ])('%s %s is refused with the allowed methods', async (method, path, allow) => {
    const response = await sendRequest(method, path)
    expect(statusAndErrorCode(response)).toEqual([405, 'METHOD_NOT_ALLOWED'])
    const allowedMethods = String(response.headers.allow).split(', ')
    expect(allowedMethods.sort()).toEqual(allow.split(', ').sort())
    expect(calls).toEqual([])
  })

  it('HEAD is GET without the body', async () => {
    response = { status: 'ok' }
    const headResponse = await sendRequest('HEAD', '/api/health')
    expect(headResponse.status).toBe(200)
    expect(headResponse.body).toHaveLength(0)
  })

  it('HEAD has the error code in a header', async () => {
    const response = await sendRequest('HEAD', '/api/no-such-call')
    expect([response.status, response.headers['x-error-code']]).toEqual([404, 'NOT_FOUND'])
    expect(response.body).toHaveLength(0)
  })
})

describe('the body of a call', () => {
  const login = (body?: string) =>
    sendRequest('POST', '/api/auth/login', {
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    })

  it.each(['{', 'nonsense', '{"email":', "{'email':'a@b.de'}"])(
    'is refused if it is invalid JSON: %s',
    async (body) => {
      const response = await login(body)
      expect(statusAndErrorCode(response)).toEqual([400, 'INVALID_INPUT'])
      expect(JSON.parse(response.body.toString()).message).toBe('The body is not valid JSON.')
      expect(calls).toEqual([])
    },
  )

  it('gets an error that lists all issues, each with its field', async () => {
    const response = await login('{"email":"nobody","password":7}')
    const { message } = JSON.parse(response.body.toString())
    expect(response.status).toBe(400)
    expect(message.split('; ')).toEqual([
      expect.stringMatching(/^email: /),
      expect.stringMatching(/^password: /),
    ])
  })

  it('is refused if it is missing but required', async () => {
    expect(statusAndErrorCode(await login())).toEqual([400, 'INVALID_INPUT'])
    expect(statusAndErrorCode(await login(''))).toEqual([400, 'INVALID_INPUT'])
  })

  it('reaches the handler without undeclared fields', async () => {
    response = {}
    await login('{"email":" ada@example.org ","password":"secret","role":"admin"}')
    expect(calls[0]?.call.body).toEqual({ email: 'ada@example.org', password: 'secret' })
  })

  it('is refused if it is incomplete', async () => {
    const { hostname, port } = new URL(server.url)
    const head = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n'
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(`${head}Expect: 100-continue\r\n\r\n`)
    await once(socket, 'data')
    socket.write('{"email":"ada@example.org","password":"secret"}', () => socket.destroy())
    await expect.poll(() => server.connections()).toBe(0)
    expect(calls).toEqual([])
  })

  it('is read by the handler if the endpoint takes bytes', async () => {
    response = null
    await sendRequest('PUT', '/api/branding/logo', {
      headers: { 'content-type': 'image/png' },
      body: '{ this is no JSON',
    })
    expect(calls[0]?.call.body).toBeUndefined()
  })
})

describe('the query of a call', () => {
  it('is parsed, with its defaults', async () => {
    response = []
    await sendRequest('GET', '/api/links?limit=7&search=%20a%20&nothing=x')
    expect(calls[0]?.call.query).toEqual({ limit: 7, sort: '-date', search: 'a' })
  })

  it.each(['limit=0', 'limit=1001', 'limit=x', 'sort=age'])('is refused: %s', async (query) => {
    const response = await sendRequest('GET', `/api/links?${query}`)
    expect(statusAndErrorCode(response)).toEqual([400, 'INVALID_INPUT'])
    expect(calls).toEqual([])
  })
})

describe('a response', () => {
  it('has no undeclared fields', async () => {
    response = { status: 'ok', secret: 'not for you' }
    const { body } = await sendRequest('GET', '/api/health')
    expect(JSON.parse(body.toString())).toEqual({ status: 'ok' })
  })

  it('is not cached', async () => {
    response = { status: 'ok' }
    expect((await sendRequest('GET', '/api/health')).headers['cache-control']).toBe('no-store')
  })

  it('is cached as long as declared', async () => {
    response = { version: '1.2.3' }
    const { headers } = await sendRequest('GET', '/api/settings/version')
    expect(headers['cache-control']).toBe('public, max-age=300')
  })

  it("that doesn't match its schema is an internal error", async () => {
    response = { status: 'not as the table says' }
    const { status, body } = await sendRequest('GET', '/api/health')
    expect(status).toBe(500)
    expect(body.toString()).not.toContain('not as the table says')
  })

  it("that isn't JSON is sent unchanged", async () => {
    response = new Response('a page', { status: 418, headers: { 'x-own': 'yes' } })
    const { status, headers, body } = await sendRequest('GET', '/download/abcdefghij')
    expect([status, headers['x-own'], body.toString()]).toEqual([418, 'yes', 'a page'])
  })
})

import { createHmac } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { testClock } from '../../../tests/support/test-clock.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { clearSessionCookies, readSessionToken, setSessionCookies } from './cookies.ts'

const dayMs = 86_400_000
const secret = 'the secret of the server'
const clock = testClock(new Date('2030-01-01T00:00:00.000Z'))

function makeServer(origin: string): Pick<Deps, 'clock' | 'config' | 'secret'> {
  return {
    secret,
    clock,
    config: { appUrl: new URL(origin) } as Deps['config'],
  }
}
const httpServer = makeServer('http://127.0.0.1:3000')
const httpsServer = makeServer('https://files.example.org')

/** Runs `work` in a request with these cookies and returns the cookies set by the response. */
async function runInRequest(
  cookie: string,
  work: (context: Context<HttpEnv>) => Promise<unknown> | unknown,
): Promise<string[]> {
  const app = new Hono<HttpEnv>()
  app.get('/', async (context) => {
    await work(context)
    return context.body(null)
  })
  const response = await app.request('/', { headers: { cookie } })
  expect(response.status).toBe(200)
  return response.headers.getSetCookie()
}

async function readToken(deps: typeof httpServer, cookie: string): Promise<string | null> {
  let token: string | null = null
  await runInRequest(cookie, (context) => {
    token = readSessionToken(deps, context)
  })
  return token
}

/**
 * Opens a session. Returns the cookies set by the response, and the `Cookie` header that a browser
 * would send.
 */
async function openTestSession(deps: typeof httpServer, token: string, createdAt = clock()) {
  const setCookies = await runInRequest('', (context) =>
    setSessionCookies(deps, context, { token, createdAt }),
  )
  return {
    setCookies,
    cookieHeader: setCookies.map((cookie) => cookie.split(';', 1)[0]).join('; '),
  }
}

describe('a session cookie', () => {
  it.each([
    ['http', httpServer],
    ['https', httpsServer],
  ])('round-trips its token over %s', async (_, deps) => {
    for (const token of ['abc', 'with.dots.inside', 'x'.repeat(64)]) {
      expect(await readToken(deps, (await openTestSession(deps, token)).cookieHeader)).toBe(token)
    }
  })

  it('is signed with HMAC-SHA-256', async () => {
    const signature = createHmac('sha256', secret).update('abc').digest('base64')
    const cookie = `mayfly.session_token=${encodeURIComponent(`abc.${signature}`)}`
    expect(await readToken(httpServer, cookie)).toBe('abc')
    expect((await openTestSession(httpServer, 'abc')).cookieHeader).toContain(cookie)
  })

  it.each([
    ['is missing', ''],
    ['is empty', 'mayfly.session_token='],
    ['has no signature', 'mayfly.session_token=abc'],
    ['has an empty signature', 'mayfly.session_token=abc.'],
    ['has the signature of another token', `mayfly.session_token=abd.${sign('abc', secret)}`],
    ['is signed with another secret', `mayfly.session_token=abc.${sign('abc', 'guessed')}`],
    ['has a truncated signature', `mayfly.session_token=abc.${sign('abc', secret).slice(0, 20)}`],
    ['has an overlong signature', `mayfly.session_token=abc.${sign('abc', secret)}A`],
    ['is malformed', 'mayfly.session_token=%00.%ff'],
  ])('that %s is ignored', async (_, cookie) => {
    expect(await readToken(httpServer, cookie)).toBeNull()
  })

  it('must have the __Host- prefix over https', async () => {
    const { cookieHeader } = await openTestSession(httpsServer, 'abc')
    expect(cookieHeader).toContain('__Host-mayfly.session_token=')
    expect(await readToken(httpsServer, cookieHeader.replaceAll('__Host-', ''))).toBeNull()
    expect(await readToken(httpServer, cookieHeader)).toBeNull()
  })

  it('expires 90 days after the login, even if it is set later', async () => {
    const { setCookies } = await openTestSession(
      httpServer,
      'abc',
      new Date(clock().getTime() - 30 * dayMs),
    )
    expect(setCookies).toHaveLength(2)
    for (const cookie of setCookies) expect(cookie).toContain(`; Max-Age=${60 * 24 * 60 * 60};`)
  })

  it('comes with a hint that scripts can read and that differs for each session', async () => {
    const [first, second] = [
      await openTestSession(httpServer, 'abc'),
      await openTestSession(httpServer, 'abc'),
    ]
    const [token = '', hint = ''] = first.setCookies
    expect(token).toContain('; HttpOnly')
    expect(hint).toMatch(/^mayfly\.signed_in=[\w-]{8};/)
    expect(hint).not.toContain('HttpOnly')
    expect(hint).not.toBe(second.setCookies[1])
  })

  it.each([
    [httpServer, false],
    [httpsServer, true],
  ])('and its hint are cleared at logout', async (deps, isSecure) => {
    const cookieNames = (await openTestSession(deps, 'abc')).setCookies.map(
      (cookie) => cookie.split('=', 1)[0],
    )
    const clearedCookies = await runInRequest('', (context) => clearSessionCookies(deps, context))
    expect(clearedCookies.map((cookie) => cookie.split('=', 1)[0])).toEqual(cookieNames)
    for (const cookie of clearedCookies) {
      expect(cookie).toMatch(/^[^=]+=; Max-Age=0; Path=\/;/)
      expect(cookie.includes('; Secure')).toBe(isSecure)
    }
  })
})

function sign(token: string, secret: string): string {
  return encodeURIComponent(createHmac('sha256', secret).update(token).digest('base64'))
}

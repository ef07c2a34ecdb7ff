import { createHmac } from 'node:crypto'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../../tests/support/open-fresh-database.ts'
import { testClock } from '../../../../tests/support/test-clock.ts'
import { googleSignInTimeoutMs } from '../../../shared/rules/files/retention.ts'
import { readConfig } from '../../config/config.ts'
import { verifications } from '../../db/schema.ts'
import type { HttpEnv } from '../../http/env.ts'
import {
  completeRequest,
  type SignInPurpose,
  startRequest,
  type VerifiedAuthorization,
} from './authorization-request.ts'
import type { RequestSecrets } from './issuer.ts'

const clock = testClock(new Date('2026-03-01T12:00:00Z'))
const purpose: SignInPurpose = { next: '/files', linkTo: 'ada' }

let server: FreshDatabase
beforeAll(async () => {
  server = await openFreshDatabase()
})
afterAll(() => server.close())

/** A browser that stores a single cookie and sends it with each request. */
class Browser {
  /** The value of the `Cookie` header: `name=value`. */
  cookie = ''
  /** The most recent `Set-Cookie` header. */
  setCookie = ''
  readonly #app = new Hono<HttpEnv>()

  constructor(appUrl = 'http://files.example.org') {
    const deps = { clock, config: readConfig({ APP_URL: appUrl }), db: server.db }
    this.#app.get('/begin', async (c) => c.json(await startRequest(deps, c, purpose)))
    this.#app.get('/end/:state', async (c) =>
      c.json(await completeRequest(deps, c, c.req.param('state'))),
    )
  }

  async startRequest(): Promise<RequestSecrets> {
    const response = await this.#app.request('/begin', { headers: { cookie: this.cookie } })
    this.setCookie = response.headers.getSetCookie().join('\n')
    this.cookie = this.setCookie.split(';', 1)[0] ?? ''
    return response.json()
  }

  async completeRequest(state: string): Promise<VerifiedAuthorization | null> {
    const headers = { cookie: this.cookie }
    return (await this.#app.request(`/end/${state}`, { headers })).json()
  }
}

describe('a response from the issuer', () => {
  it('completes the request with that state and returns its purpose and secrets', async () => {
    const browser = new Browser()
    const secrets = await browser.startRequest()
    expect(await browser.completeRequest(secrets.state)).toEqual({ ...purpose, secrets })
  })

  it('is checked with secrets derived from the state and the cookie', async () => {
    const browser = new Browser()
    const { state, nonce, codeVerifier } = await browser.startRequest()
    const [, cookie = ''] = browser.cookie.split('=')
    const deriveSecret = (purpose: string) =>
      createHmac('sha256', cookie).update(`${purpose} ${state}`).digest('base64url')
    expect([nonce, codeVerifier]).toEqual([deriveSecret('nonce'), deriveSecret('code verifier')])
  })

  it('is accepted once', async () => {
    const browser = new Browser()
    const { state } = await browser.startRequest()
    const authorizations = await Promise.all([1, 2, 3, 4].map(() => browser.completeRequest(state)))
    expect(authorizations.filter((result) => result !== null)).toHaveLength(1)
    expect(await browser.completeRequest(state)).toBeNull()
  })

  it('is accepted only in the same browser, and consumed in any other', async () => {
    const [browser, otherBrowser, newBrowser] = [new Browser(), new Browser(), new Browser()]
    const [{ state }, secondRequest] = [await browser.startRequest(), await browser.startRequest()]
    await otherBrowser.startRequest()
    expect(await otherBrowser.completeRequest(state)).toBeNull()
    expect(await browser.completeRequest(state)).toBeNull()
    expect(await newBrowser.completeRequest(secondRequest.state)).toBeNull()
  })

  it.each([
    [googleSignInTimeoutMs - 1, true],
    [googleSignInTimeoutMs, false],
  ])('is accepted for ten minutes: after %i ms %s', async (ms, isAccepted) => {
    const browser = new Browser()
    const { state } = await browser.startRequest()
    clock.advance(ms)
    expect((await browser.completeRequest(state)) !== null).toBe(isAccepted)
  })

  it('is accepted in each of several tabs of one browser', async () => {
    const browser = new Browser()
    const firstRequest = await browser.startRequest()
    const { cookie } = browser
    const secondRequest = await browser.startRequest()
    expect(browser.cookie).toBe(cookie)
    expect((await browser.completeRequest(firstRequest.state))?.secrets).toEqual(firstRequest)
    expect((await browser.completeRequest(secondRequest.state))?.secrets).toEqual(secondRequest)
    expect(new Set([...Object.values(firstRequest), ...Object.values(secondRequest)]).size).toBe(6)
  })

  it('with an unknown state is ignored', async () => {
    const browser = new Browser()
    await browser.startRequest()
    expect(await browser.completeRequest('x'.repeat(43))).toBeNull()
  })
})

describe('the cookie', () => {
  it('is bound to this server and expires after ten minutes', async () => {
    const browser = new Browser()
    await browser.startRequest()
    expect(browser.setCookie).toMatch(/^mayfly\.google=[\w-]{43}; /)
    expect(browser.setCookie.split('; ').slice(1).toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/',
      'SameSite=Lax',
    ])
  })

  it('must have the __Host- prefix over https', async () => {
    const browser = new Browser('https://files.example.org')
    const { state } = await browser.startRequest()
    expect(browser.setCookie).toMatch(/^__Host-mayfly\.google=[\w-]{43}; .*; Secure/)
    browser.cookie = browser.cookie.replace('__Host-', '')
    expect(await browser.completeRequest(state)).toBeNull()
  })

  it.each(['x'.repeat(42), `${'x'.repeat(42)}.`, 'x'.repeat(44)])(
    'is replaced if malformed: %s',
    async (value) => {
      const browser = new Browser()
      browser.cookie = `mayfly.google=${value}`
      const { state } = await browser.startRequest()
      expect(browser.cookie).not.toContain(value)
      expect(await browser.completeRequest(state)).not.toBeNull()
    },
  )

  it('is not stored in the database, nor is any secret of the request', async () => {
    const browser = new Browser()
    const secrets = await browser.startRequest()
    const storedRowsJson = JSON.stringify(await server.db.select().from(verifications))
    expect(storedRowsJson).toContain('/files')
    for (const secret of [browser.cookie.split('=')[1] ?? '', ...Object.values(secrets)]) {
      expect(storedRowsJson).not.toContain(secret)
    }
  })
})

import { createHmac } from 'node:crypto'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../../tests/support/open-fresh-database.ts'
import { testClock } from '../../../../tests/support/test-clock.ts'
import { googleRequestKeptMs } from '../../../shared/rules/files/kept-times.ts'
import { readConfig } from '../../config/config.ts'
import { verifications } from '../../db/schema.ts'
import type { HttpEnv } from '../../http/env.ts'
import {
  type Answered,
  beginRequest,
  endRequest,
  type SignInPurpose,
} from './authorization-request.ts'
import type { RequestSecrets } from './issuer.ts'

const clock = testClock(new Date('2026-03-01T12:00:00Z'))
const purpose: SignInPurpose = { next: '/files', linkTo: 'ada' }

let server: FreshDatabase
beforeAll(async () => {
  server = await openFreshDatabase()
})
afterAll(() => server.close())

/** A browser with one cookie, which it sends with each request. */
class Browser {
  /** The cookie as the browser sends it, `name=value`. */
  cookie = ''
  /** The header that set the cookie. */
  setCookie = ''
  readonly #app = new Hono<HttpEnv>()

  constructor(appUrl = 'http://files.example.org') {
    const deps = { clock, config: readConfig({ APP_URL: appUrl }), db: server.db }
    this.#app.get('/begin', async (c) => c.json(await beginRequest(deps, c, purpose)))
    this.#app.get('/end/:state', async (c) =>
      c.json(await endRequest(deps, c, c.req.param('state'))),
    )
  }

  async begin(): Promise<RequestSecrets> {
    const answer = await this.#app.request('/begin', { headers: { cookie: this.cookie } })
    this.setCookie = answer.headers.getSetCookie().join('\n')
    this.cookie = this.setCookie.split(';', 1)[0] ?? ''
    return answer.json()
  }

  async end(state: string): Promise<Answered | null> {
    const headers = { cookie: this.cookie }
    return (await this.#app.request(`/end/${state}`, { headers })).json()
  }
}

describe('an answer of the issuer', () => {
  it('ends the request of its state, with its purpose and its secrets', async () => {
    const browser = new Browser()
    const secrets = await browser.begin()
    expect(await browser.end(secrets.state)).toEqual({ ...purpose, secrets })
  })

  it('is checked with secrets of the state and of the cookie, which the database does not have', async () => {
    const browser = new Browser()
    const { state, nonce, codeVerifier } = await browser.begin()
    const [, cookie = ''] = browser.cookie.split('=')
    const secretFor = (use: string) =>
      createHmac('sha256', cookie).update(`${use} ${state}`).digest('base64url')
    expect([nonce, codeVerifier]).toEqual([secretFor('nonce'), secretFor('code verifier')])
  })

  it('counts once', async () => {
    const browser = new Browser()
    const { state } = await browser.begin()
    const ends = await Promise.all([1, 2, 3, 4].map(() => browser.end(state)))
    expect(ends.filter((end) => end !== null)).toHaveLength(1)
    expect(await browser.end(state)).toBeNull()
  })

  it('counts in the browser that asked, and in no other, which spends it', async () => {
    const [browser, other, none] = [new Browser(), new Browser(), new Browser()]
    const [{ state }, second] = [await browser.begin(), await browser.begin()]
    await other.begin()
    expect(await other.end(state)).toBeNull()
    expect(await browser.end(state)).toBeNull()
    expect(await none.end(second.state)).toBeNull()
  })

  it.each([
    [googleRequestKeptMs - 1, true],
    [googleRequestKeptMs, false],
  ])('counts for ten minutes: after %i ms %s', async (ms, isFound) => {
    const browser = new Browser()
    const { state } = await browser.begin()
    clock.advance(ms)
    expect((await browser.end(state)) !== null).toBe(isFound)
  })

  it('counts in each tab of a browser', async () => {
    const browser = new Browser()
    const first = await browser.begin()
    const { cookie } = browser
    const second = await browser.begin()
    expect(browser.cookie).toBe(cookie)
    expect((await browser.end(first.state))?.secrets).toEqual(first)
    expect((await browser.end(second.state))?.secrets).toEqual(second)
    expect(new Set([...Object.values(first), ...Object.values(second)]).size).toBe(6)
  })

  it('with a state that nobody asked with ends nothing', async () => {
    const browser = new Browser()
    await browser.begin()
    expect(await browser.end('x'.repeat(43))).toBeNull()
  })
})

describe('the cookie of a browser', () => {
  it('is for this server alone, for ten minutes', async () => {
    const browser = new Browser()
    await browser.begin()
    expect(browser.setCookie).toMatch(/^mayfly\.google=[\w-]{43}; /)
    expect(browser.setCookie.split('; ').slice(1).toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/',
      'SameSite=Lax',
    ])
  })

  it('is bound to the host by its name where the server has https, and no other counts', async () => {
    const browser = new Browser('https://files.example.org')
    const { state } = await browser.begin()
    expect(browser.setCookie).toMatch(/^__Host-mayfly\.google=[\w-]{43}; .*; Secure/)
    browser.cookie = browser.cookie.replace('__Host-', '')
    expect(await browser.end(state)).toBeNull()
  })

  it.each(['x'.repeat(42), `${'x'.repeat(42)}.`, 'x'.repeat(44)])(
    'is replaced if it is none of ours: %s',
    async (value) => {
      const browser = new Browser()
      browser.cookie = `mayfly.google=${value}`
      const { state } = await browser.begin()
      expect(browser.cookie).not.toContain(value)
      expect(await browser.end(state)).not.toBeNull()
    },
  )

  it('is not in the database, nor is a secret of the request', async () => {
    const browser = new Browser()
    const secrets = await browser.begin()
    const kept = JSON.stringify(await server.db.select().from(verifications))
    expect(kept).toContain('/files')
    for (const secret of [browser.cookie.split('=')[1] ?? '', ...Object.values(secrets)]) {
      expect(kept).not.toContain(secret)
    }
  })
})

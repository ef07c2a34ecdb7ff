import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeClient } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: one client asks for letters to more and more people, or tries tokens of letters,
 * without end. The server takes the client's address from a proxy's header, so one test can act as
 * two clients.
 */

const most = 20
const windowMs = 15 * 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
})
afterAll(() => app.close())

/**
 * Each row is a call: its name, the two clients that make it, a function that returns the n-th
 * body, and the status of an answer that is not a refusal.
 */
const calls = [
  ['forgot-password', [1, 2], (nth: number) => ({ email: `to-${nth}@example.org` }), 200],
  ['resend-verification', [3, 4], (nth: number) => ({ email: `to-${nth}@example.org` }), 200],
  ['reset-password', [5, 6], (nth: number) => ({ token: `t${nth}`, newPassword: 'secret' }), 400],
  ['reset-password/check', [7, 8], (nth: number) => ({ token: `t${nth}` }), 200],
] as const

it.each(calls)(
  '%s is refused to a client after 20 calls, and to no other',
  async (name, [flooder, other], bodyOf, passed) => {
    const send = (client: number, nth = 0) =>
      makeClient(app).fetch(`/api/auth/${name}`, {
        method: 'POST',
        headers: {
          'x-forwarded-for': `198.51.100.${client}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(bodyOf(nth)),
      })

    const answers = await Promise.all(Array.from({ length: most }, (_, nth) => send(flooder, nth)))
    expect(answers.map(({ status }) => status)).toEqual(Array(most).fill(passed))
    const refused = await send(flooder, most)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe(String(windowMs / 1000))
    expect(await refused.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    expect((await send(other)).status).toBe(passed)

    app.clock.advance(windowMs - 1)
    expect((await send(flooder)).status).toBe(429)
    app.clock.advance(1)
    expect((await send(flooder)).status).toBe(passed)
  },
)

import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { users } from '../../src/server/db/schema.ts'
import type { MailRequest } from '../../src/server/email/mail-queue.ts'
import { dailyLimit, emailLimits } from '../../src/shared/rules/accounts/email-limits.ts'
import { makeClient, makeFile, makePerson } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: one client requests emails to ever more people, guesses email tokens, or triggers
 * many emails to one person. Client addresses come from a proxy header, so one test can act as two
 * clients.
 */

const most = 20
const windowMs = 15 * 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
})
afterAll(() => app.close())

/** Endpoint, the numbers of two clients, the n-th body, and the status of an accepted call. */
const calls = [
  ['forgot-password', [1, 2], (nth: number) => ({ email: `to-${nth}@example.org` }), 200],
  ['resend-verification', [3, 4], (nth: number) => ({ email: `to-${nth}@example.org` }), 200],
  ['reset-password', [5, 6], (nth: number) => ({ token: `t${nth}`, newPassword: 'secret' }), 400],
  ['reset-password/check', [7, 8], (nth: number) => ({ token: `t${nth}` }), 200],
] as const

it.each(calls)(
  'limits %s to 20 calls per client',
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

describe('emails to one address', () => {
  let open: TestApp
  beforeAll(async () => {
    open = await startTestApp()
  })
  afterAll(() => open.close())

  async function sentFor(request: MailRequest, times: number): Promise<number> {
    for (let n = 0; n < times; n += 1) await open.deps.mailQueue.add(request)
    return (await open.mails()).length
  }

  it('are limited across all triggers, with a share for each', async () => {
    const person = await makePerson(open, { tier: 'premium' })
    const { email, id: userId } = person
    await person.fetch('/api/preferences', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mailOnFirstDownload: true }),
    })
    const { id } = await makeFile(person)
    const at = open.clock().toISOString()
    const changed = { changedBy: 'session', removedGoogle: false } as const
    const requests: [keyof typeof emailLimits, MailRequest][] = [
      ['reset-password', { kind: 'forgot-password', email, askedAt: at }],
      ['files', { kind: 'files', userId, about: 'first-download', fileIds: [id] }],
      ['support', { kind: 'takedown', userId, fileIds: [id], reason: 'Malware', takenDownAt: at }],
      ['account', { kind: 'password-changed', userId, changedAt: at, ...changed }],
    ]
    for (const [kind, request] of requests) {
      const { max, windowMs } = emailLimits[kind]
      expect(await sentFor(request, max + 5)).toBe(max)
      open.clock.advance(windowMs - 1)
      expect(await sentFor(request, 1)).toBe(0)
      open.clock.advance(1)
      expect(await sentFor(request, 1)).toBe(1)
    }
  })

  it('are limited to 60 a day, except notices about a changed password', async () => {
    const { email, id: userId } = await makePerson(open)
    const { max, windowMs } = emailLimits['reset-password']
    let sent = 0
    for (let elapsed = 0; elapsed < dailyLimit.windowMs; elapsed += windowMs) {
      const at = open.clock().toISOString()
      sent += await sentFor({ kind: 'forgot-password', email, askedAt: at }, max)
      open.clock.advance(windowMs)
    }
    expect(sent).toBe(dailyLimit.max)
    const changedAt = open.clock().toISOString()
    const by = { changedBy: 'session', removedGoogle: false } as const
    expect(await sentFor({ kind: 'password-changed', userId, changedAt, ...by }, 1)).toBe(1)
  })

  it('stay within the limit after twenty password changes', async () => {
    const person = await makePerson(open)
    for (let n = 0; n < 20; n += 1) {
      const passwords = { currentPassword: person.password, newPassword: person.password }
      await person.post('/api/auth/change-password', passwords)
    }
    const mails = await open.mails()
    expect(mails.length).toBeLessThanOrEqual(emailLimits.account.max)
  })

  it('are verification emails only, until it is verified', async () => {
    const { email, id: userId } = await makePerson(open)
    const at = open.clock().toISOString()
    const changed = { changedBy: 'session', removedGoogle: false } as const
    const request = { kind: 'password-changed', userId, changedAt: at, ...changed } as const
    const reset = { kind: 'forgot-password', email, askedAt: at } as const
    open.deps.config.requireEmailVerification = true
    try {
      expect(await sentFor(request, 1)).toBe(0)
      expect(await sentFor(reset, 1)).toBe(1)
      await open.deps.db.update(users).set({ emailVerified: true }).where(eq(users.id, userId))
      expect(await sentFor(request, 1)).toBe(1)
    } finally {
      open.deps.config.requireEmailVerification = false
    }
  })
})

import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { users } from '../../src/server/db/schema.ts'
import type { MailRequest } from '../../src/server/email/mail-queue.ts'
import { dailyLimit, emailLimits } from '../../src/shared/rules/accounts/email-limits.ts'
import { getFileRow } from '../support/file-rows.ts'
import { makeClient, makeFile, makePerson } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: one client has emails sent to many people, guesses email tokens, or triggers many
 * emails to one person. The client's IP address comes from a proxy header, so one test can act as
 * two clients.
 */

const maxCalls = 20
const windowMs = 15 * 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
})
afterAll(() => app.close())

/**
 * For each endpoint: the numbers of two clients, the body of the n-th call, and the status of an
 * accepted call.
 */
const calls = [
  ['forgot-password', [1, 2], (index: number) => ({ email: `to-${index}@example.org` }), 200],
  ['resend-verification', [3, 4], (index: number) => ({ email: `to-${index}@example.org` }), 200],
  [
    'reset-password',
    [5, 6],
    (index: number) => ({ token: `t${index}`, newPassword: 'secret' }),
    400,
  ],
  ['reset-password/check', [7, 8], (index: number) => ({ token: `t${index}` }), 200],
] as const

it.each(calls)(
  'limits %s to 20 calls per client',
  async (name, [flooder, other], makeBody, expectedStatus) => {
    const send = (clientNumber: number, index = 0) =>
      makeClient(app).fetch(`/api/auth/${name}`, {
        method: 'POST',
        headers: {
          'x-forwarded-for': `198.51.100.${clientNumber}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(makeBody(index)),
      })

    const responses = await Promise.all(
      Array.from({ length: maxCalls }, (_, index) => send(flooder, index)),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(maxCalls).fill(expectedStatus))
    const limitedResponse = await send(flooder, maxCalls)
    expect(limitedResponse.status).toBe(429)
    expect(limitedResponse.headers.get('retry-after')).toBe(String(windowMs / 1000))
    expect(await limitedResponse.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    expect((await send(other)).status).toBe(expectedStatus)

    app.clock.advance(windowMs - 1)
    expect((await send(flooder)).status).toBe(429)
    app.clock.advance(1)
    expect((await send(flooder)).status).toBe(expectedStatus)
  },
)

describe('emails to one address', () => {
  let unlimitedApp: TestApp
  beforeAll(async () => {
    unlimitedApp = await startTestApp()
  })
  afterAll(() => unlimitedApp.close())

  async function countSentEmails(request: MailRequest, requestCount: number): Promise<number> {
    for (let n = 0; n < requestCount; n += 1) await unlimitedApp.deps.mailQueue.add(request)
    return (await unlimitedApp.sendQueuedEmails()).length
  }

  it('are limited across all triggers, with a share for each', async () => {
    const person = await makePerson(unlimitedApp, { tier: 'premium' })
    const { email, id: userId } = person
    await person.fetch('/api/preferences', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mailOnFirstDownload: true }),
    })
    const { id } = await makeFile(person)
    const { linkId } = await getFileRow(unlimitedApp, id)
    const createdAt = unlimitedApp.clock().toISOString()
    const passwordChange = { changedBy: 'session', removedGoogle: false } as const
    const requests: [keyof typeof emailLimits, MailRequest][] = [
      ['reset-password', { kind: 'forgot-password', email, askedAt: createdAt }],
      ['files', { kind: 'links', userId, about: 'first-download', linkIds: [linkId ?? ''] }],
      [
        'support',
        { kind: 'takedown', userId, fileIds: [id], reason: 'Malware', takenDownAt: createdAt },
      ],
      ['account', { kind: 'password-changed', userId, changedAt: createdAt, ...passwordChange }],
    ]
    for (const [kind, request] of requests) {
      const { max, windowMs } = emailLimits[kind]
      expect(await countSentEmails(request, max + 5)).toBe(max)
      unlimitedApp.clock.advance(windowMs - 1)
      expect(await countSentEmails(request, 1)).toBe(0)
      unlimitedApp.clock.advance(1)
      expect(await countSentEmails(request, 1)).toBe(1)
    }
  })

  it('are limited to 60 a day, except for password change notices', async () => {
    const { email, id: userId } = await makePerson(unlimitedApp)
    const { max, windowMs } = emailLimits['reset-password']
    let sentCount = 0
    for (let elapsedMs = 0; elapsedMs < dailyLimit.windowMs; elapsedMs += windowMs) {
      const createdAt = unlimitedApp.clock().toISOString()
      sentCount += await countSentEmails(
        { kind: 'forgot-password', email, askedAt: createdAt },
        max,
      )
      unlimitedApp.clock.advance(windowMs)
    }
    expect(sentCount).toBe(dailyLimit.max)
    const changedAt = unlimitedApp.clock().toISOString()
    const changeDetails = { changedBy: 'session', removedGoogle: false } as const
    expect(
      await countSentEmails({ kind: 'password-changed', userId, changedAt, ...changeDetails }, 1),
    ).toBe(1)
  })

  it('stay within the limit after twenty password changes', async () => {
    const person = await makePerson(unlimitedApp)
    for (let n = 0; n < 20; n += 1) {
      const passwords = { currentPassword: person.password, newPassword: person.password }
      await person.post('/api/auth/change-password', passwords)
    }
    const emails = await unlimitedApp.sendQueuedEmails()
    expect(emails.length).toBeLessThanOrEqual(emailLimits.account.max)
  })

  it('are only verification emails until the address is verified', async () => {
    const { email, id: userId } = await makePerson(unlimitedApp)
    const createdAt = unlimitedApp.clock().toISOString()
    const passwordChange = { changedBy: 'session', removedGoogle: false } as const
    const request = {
      kind: 'password-changed',
      userId,
      changedAt: createdAt,
      ...passwordChange,
    } as const
    const resetRequest = { kind: 'forgot-password', email, askedAt: createdAt } as const
    unlimitedApp.deps.config.requireEmailVerification = true
    try {
      expect(await countSentEmails(request, 1)).toBe(0)
      expect(await countSentEmails(resetRequest, 1)).toBe(1)
      await unlimitedApp.deps.db
        .update(users)
        .set({ emailVerified: true })
        .where(eq(users.id, userId))
      expect(await countSentEmails(request, 1)).toBe(1)
    } finally {
      unlimitedApp.deps.config.requireEmailVerification = false
    }
  })
})

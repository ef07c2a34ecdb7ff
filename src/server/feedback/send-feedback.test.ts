import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeClient } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  maxFeedbackEmailsPerHour,
  maxFeedbackPerHour,
} from '../../shared/rules/accounts/feedback.ts'
import { feedback } from '../db/schema.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on', TRUST_PROXY: 'on' } })
})
beforeEach(async () => {
  await app.deps.db.delete(feedback)
  await app.sendQueuedEmails()
  app.clock.advance(60 * 60_000)
})
afterAll(() => app.close())

const form = { name: 'Ada', email: 'ada@example.org', category: 'bug', message: 'It rattles.' }

/** Sends feedback from the client with this number. Each client has its own IP address. */
function sendFrom(client: number, changes: object = {}) {
  return makeClient(app).fetch('/api/feedback', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${client}` },
    body: JSON.stringify({ ...form, ...changes }),
  })
}

describe('across all IP addresses', () => {
  it('thirty messages an hour are emailed, and a digest covers the rest', async () => {
    // Bot messages don't count against the email limit.
    for (let n = 0; n < 5; n += 1) await sendFrom(n, { website: 'x' })
    const responses = await Promise.all(
      Array.from({ length: maxFeedbackEmailsPerHour + 3 }, (_, n) => sendFrom(n)),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await app.sendQueuedEmails()).toHaveLength(maxFeedbackEmailsPerHour)
    expect(await app.deps.db.$count(feedback)).toBe(maxFeedbackEmailsPerHour + 8)
    app.clock.advance(61 * 60_000)
    expect((await sendFrom(1)).status).toBe(200)
    const sentEmails = await app.sendQueuedEmails()
    const digest = sentEmails.find(({ content }) => content.subject.includes('Admin Center'))
    expect(sentEmails).toHaveLength(2)
    expect(digest?.to.address).toBe(app.deps.config.supportEmail)
    expect(digest?.content.text).toContain(
      `The Admin Center has ${maxFeedbackEmailsPerHour + 8} messages of that hour, 5 of them probably from bots.`,
    )
    expect(digest?.content.text).toContain(`${app.url}/admin`)
  })

  it("an hourly digest counts the messages that weren't emailed, except deleted ones", async () => {
    const advanceToNextHour = () =>
      app.clock.set(new Date(Math.ceil(app.clock().getTime() / 3_600_000) * 3_600_000))
    const sendDigests = async () =>
      (await app.sendQueuedEmails()).map(({ content }) => content.text)
    advanceToNextHour()
    await sendFrom(1, { website: 'x' })
    app.clock.advance(59 * 60_000)
    await sendFrom(2, { website: 'x' })
    expect(await sendDigests()).toEqual([])
    app.clock.advance(2 * 60_000)
    // This message belongs to the next hour.
    await sendFrom(3, { website: 'x' })
    expect(await sendDigests()).toEqual([
      expect.stringContaining('has 2 messages of that hour, probably from bots.'),
    ])
    await app.deps.db.delete(feedback)
    app.clock.advance(60 * 60_000)
    expect(await sendDigests()).toEqual([])
  })

  it('the digest is correct even if only emailed messages are left', async () => {
    await sendFrom(1)
    await sendFrom(2, { website: 'x' })
    expect(await app.sendQueuedEmails()).toHaveLength(1)
    await app.deps.db.delete(feedback).where(eq(feedback.isSuspect, true))
    app.clock.advance(61 * 60_000)
    const [digest, ...otherEmails] = await app.sendQueuedEmails()
    expect(otherEmails).toEqual([])
    expect(digest?.content.subject).toBe('Feedback in the Admin Center: 1 message in an hour')
    expect(digest?.content.text).toMatch(/The Admin Center has 1 message of that hour\./)
    expect(digest?.content.text).toContain('not those that were deleted.')
  })

  it('up to a hundred messages an hour are stored', async () => {
    const responses = await Promise.all(
      Array.from({ length: maxFeedbackPerHour + 3 }, (_, n) => sendFrom(n)),
    )
    const rejectedResponses = responses.filter(({ status }) => status === 429)
    expect(rejectedResponses).toHaveLength(3)
    expect(await app.deps.db.$count(feedback)).toBe(maxFeedbackPerHour)
    expect(rejectedResponses[0]?.headers.get('retry-after')).toBe(String(60 * 60))
    app.clock.advance(60 * 60_000)
    expect((await sendFrom(1)).status).toBe(200)
  })
})

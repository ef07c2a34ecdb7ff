import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  deleteJobRuns,
  getCheckLine,
  scheduleJobs,
  withRunningJobs,
} from '../../../../tests/support/check-lines.ts'
import { makeRequest } from '../../../../tests/support/file-requests.ts'
import { makePerson, type Person } from '../../../../tests/support/make.ts'
import { startSmtpServer, type TestSmtpServer } from '../../../../tests/support/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import { emailQueueName, type JobQueue, openJobQueue } from '../../jobs/job-queue.ts'

let app: TestApp
let smtp: TestSmtpServer
let queue: JobQueue
let admin: Person
beforeAll(async () => {
  smtp = await startSmtpServer()
  const env = { SMTP_URL: smtp.url, REQUIRE_EMAIL_VERIFICATION: 'off' }
  app = await startTestApp({ env })
  queue = await openJobQueue(app.pool, app.deps.log)
  await scheduleJobs(app)
  admin = await makePerson(app, { role: 'admin' })
})
afterEach(() => deleteJobRuns(app))
afterAll(async () => {
  await queue.stop()
  app.deps.mailer.close()
  await app.close()
  await smtp.close()
})

describe('email', () => {
  it('is failing while the mail server is down', async () => {
    await smtp.close()
    const line = await getCheckLine(admin, 'Mail')
    smtp = await startSmtpServer(Number(new URL(smtp.url).port))
    expect(line).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    expect(line.cure).toContain('SMTP_URL')
    expect((await getCheckLine(admin, 'Mail')).status).toBe('ok')
  })

  it("shows the rejected email, its recipient and the mail server's response", async () => {
    const { email } = await makePerson(app)
    smtp.setReaction({ recipient: 550 })
    await withRunningJobs(app, async () => {
      const askedAt = app.clock().toISOString()
      await queue.emails.add({ kind: 'forgot-password', email, askedAt })
      await expect.poll(() => countJobs('failed')).toBe(1)
    })
    smtp.setReaction('accept')
    const line = await getCheckLine(admin, 'Mail: lost emails')
    expect(line.status).toBe('warning')
    expect(line.message).toMatch(/^An email was lost in the last 7 days\. /)
    expect(line.message).toContain(`To ${email} (forgot-password, `)
    expect(line.message).toContain('550 Refused')
  })

  it('resolves accounts to email addresses, counts all lost emails and lists the newest', async () => {
    const { id, email } = await makePerson(app)
    await addEmail({
      state: 'failed',
      data: { kind: 'password-changed', userId: id },
      minutesAgo: 1,
    })
    await addEmail({ state: 'failed', data: { kind: 'trial', userId: 'nobody' }, minutesAgo: 2 })
    await addEmail({ state: 'failed', data: { kind: 'feedback' }, minutesAgo: 3 })
    await addEmail({ state: 'failed', data: { kind: 'report', fileId: 'x' }, minutesAgo: 4 })
    const signup = { kind: 'signup', email: 'x@x.org' }
    for (const days of [1, 2, 5, 6]) {
      await addEmail({
        state: 'failed',
        data: signup,
        minutesAgo: days * 24 * 60,
        reason: `Day ${days}.`,
      })
    }
    await addEmail({
      state: 'failed',
      data: { kind: 'signup', email: 'old@x.org' },
      minutesAgo: 8 * 24 * 60,
    })
    const { message } = await getCheckLine(admin, 'Mail: lost emails')
    expect(message).toMatch(/^8 emails were lost/)
    expect(message).toContain(`To ${email} (password-changed`)
    expect(message).toContain('To a deleted account (trial')
    expect(message).toContain(`To ${app.deps.config.supportEmail} (feedback`)
    expect(message).toContain(`To ${app.deps.config.supportEmail} (report`)
    expect(message).toMatch(/To x@x\.org \(signup, [^)]+\): Day 1\. And 3 more:/)
    expect(message).not.toContain('old@x.org')
    expect(message).not.toContain('Day 5')
  })

  it("names a request's owner, and leaves out links by email", async () => {
    const owner = await makePerson(app)
    const { id: requestId } = await makeRequest(owner)
    await addEmail({ state: 'failed', data: { kind: 'shared-link', emailId: randomUUID() } })
    expect((await getCheckLine(admin, 'Mail: lost emails')).status).toBe('ok')
    await addEmail({ state: 'failed', data: { kind: 'deliveries', requestId } })
    const { message } = await getCheckLine(admin, 'Mail: lost emails')
    expect(message).toMatch(/^An email was lost/)
    expect(message).toContain(`To ${owner.email} (deliveries`)
  })

  it('warns about emails after many failed attempts but not after a few', async () => {
    const data = { kind: 'signup' }
    await addEmail({ state: 'retry', data, tries: 4 })
    expect((await getCheckLine(admin, 'Mail: waiting emails')).status).toBe('ok')
    await addEmail({ state: 'retry', data, tries: 5, minutesAgo: 3, reason: '451 Busy' })
    await addEmail({ state: 'retry', data, tries: 9, minutesAgo: 2, reason: '452 No room' })
    const { status, message } = await getCheckLine(admin, 'Mail: waiting emails')
    expect(status).toBe('warning')
    expect(message).toMatch(/^2 emails have been waiting after up to 9 tries\./)
    expect(message).toContain('452 No room')
  })

  it('is failing if no server sends due emails', async () => {
    const data = { kind: 'signup' }
    await addEmail({ state: 'created', data, minutesAgo: -60 })
    await addEmail({ state: 'created', data, minutesAgo: 4 })
    expect((await getCheckLine(admin, 'Mail: waiting emails')).status).toBe('ok')
    await addEmail({ state: 'created', data, minutesAgo: 6 })
    expect(await getCheckLine(admin, 'Mail: waiting emails')).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^An email has been waiting for more than 5 minutes/),
    })
  })

  const countJobs = async (state: string): Promise<number> => {
    const { rows } = await app.pool.query<{ count: number }>(
      'select count(*)::int as count from pgboss.job where name = $1 and state = $2',
      [emailQueueName, state],
    )
    return rows[0]?.count ?? 0
  }

  /**
   * Inserts an email directly in the given state, which could otherwise take up to a day to reach.
   */
  const addEmail = (job: {
    state: string
    data: object
    tries?: number
    minutesAgo?: number
    reason?: string
  }) => {
    const { state, data, tries = 0, minutesAgo = 0, reason = '550 No such user' } = job
    return app.pool.query(
      `insert into pgboss.job
          (name, state, data, retry_count, output, start_after, started_on, completed_on)
        select $1, $2::pgboss.job_state, $3::jsonb, $4::int, $5::jsonb, at, at, at
        from (select now() - $6::float8 * interval '1 minute' as at) t`,
      [emailQueueName, state, data, Math.max(0, tries - 1), { reason }, minutesAgo],
    )
  }
})

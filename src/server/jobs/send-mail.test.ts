import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makePerson } from '../../../tests/support/make.ts'
import { scrape } from '../../../tests/support/scrape.ts'
import {
  type Reaction,
  startSmtpServer,
  type TestSmtpServer,
} from '../../../tests/support/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { deleteUser } from '../account-deletion/delete-user.ts'
import { users } from '../db/schema.ts'
import type { Mailer } from '../email/mailer.ts'
import { createSmtpMailer } from '../email/smtp.ts'
import { emailQueueName, type JobQueue, openJobQueue } from './job-queue.ts'
import { startJobs } from './jobs.ts'

let app: TestApp
let queue: JobQueue
let server: TestSmtpServer
let mailer: Mailer
beforeAll(async () => {
  app = await startTestApp()
  server = await startSmtpServer()
  mailer = createSmtpMailer({ url: server.url, from: app.deps.config.mailFrom })
  queue = await openJobQueue(app.pool, app.deps.log)
  await startJobs({ ...app.deps, mailer }, queue)
})
afterAll(async () => {
  await queue.stop()
  mailer.close()
  await server.close()
  await app.close()
})
afterEach(() => server.setReaction('accept'))

interface JobRow {
  id: string
  state: string
  retry_count: number
  output: { reason?: string } | null
  /** Seconds from the start of the last attempt to the next one. */
  wait: number
}

/** Returns the queue's rows for a recipient: an email address or an account. */
async function findJobs(recipient: string): Promise<JobRow[]> {
  const { rows } = await app.pool.query<JobRow>(
    `select id, state, retry_count, output,
       extract(epoch from start_after - started_on)::float8 as wait
     from pgboss.job
     where name = $1 and (data->>'email' = $2 or data->>'userId' = $2) order by created_on`,
    [emailQueueName, recipient],
  )
  return rows
}

/** Makes every email that is waiting for a retry due now. */
function retryNow() {
  return app.pool.query(
    "update pgboss.job set start_after = now() where name = $1 and state = 'retry'",
    [emailQueueName],
  )
}

function queueResetEmail(email: string) {
  const askedAt = app.clock().toISOString()
  return queue.emails.add({ kind: 'forgot-password', email, askedAt })
}

function listEmailsTo(email: string) {
  return server.received.filter(({ to }) =>
    [to ?? []].flat().some(({ value }) => value.some(({ address }) => address === email)),
  )
}

describe('a queued email', () => {
  let email: string
  beforeEach(async () => {
    email = (await makePerson(app)).email
  })

  it('is sent with its job id as the Message-ID', async () => {
    await queueResetEmail(email)
    await expect.poll(() => listEmailsTo(email).length).toBe(1)
    const [job] = await findJobs(email)
    const [receivedEmail] = listEmailsTo(email)
    expect(receivedEmail?.messageId).toBe(`<${job?.id}@${app.deps.config.appUrl.hostname}>`)
    await expect.poll(async () => (await findJobs(email))[0]?.state).toBe('completed')
    expect((await scrape(app)).get('mayfly_mails_total{outcome="sent"}')).toBe(1)
  })

  it.each<[string, Reaction, copies: number]>([
    ['reports that it is busy (451)', { recipient: 451 }, 1],
    ['accepts it but disconnects before confirming', 'accept-and-drop', 2],
  ])(
    'is sent again with the same Message-ID after the server %s',
    async (_, reaction, copyCount) => {
      server.setReaction(reaction)
      await queueResetEmail(email)
      await expect.poll(async () => (await findJobs(email))[0]?.state).toBe('retry')
      server.setReaction('accept')
      await retryNow()
      await expect.poll(async () => (await findJobs(email))[0]?.state).toBe('completed')
      const receivedEmails = listEmailsTo(email)
      expect(receivedEmails).toHaveLength(copyCount)
      expect(new Set(receivedEmails.map(({ messageId }) => messageId)).size).toBe(1)
    },
  )

  it('arrives eventually, however many attempts failed in a short time', async () => {
    server.setReaction({ recipient: 451 })
    await queueResetEmail(email)
    for (let retryIndex = 0; retryIndex < 2; retryIndex += 1) {
      const expectedJob = { state: 'retry', retry_count: retryIndex }
      await expect.poll(async () => (await findJobs(email))[0]).toMatchObject(expectedJob)
      const [job] = await findJobs(email)
      expect(job?.wait).toBeGreaterThanOrEqual(30 * 2 ** retryIndex)
      if (retryIndex === 1) server.setReaction('accept')
      await retryNow()
    }
    await expect.poll(async () => (await findJobs(email))[0]?.state).toBe('completed')
    expect(listEmailsTo(email)).toHaveLength(1)
  })

  it('is kept with the reason and not retried if it is permanently rejected (550)', async () => {
    server.setReaction({ recipient: 550 })
    await queueResetEmail(email)
    await expect.poll(async () => (await findJobs(email))[0]?.state).toBe('failed')
    const [job] = await findJobs(email)
    expect(job).toMatchObject({ retry_count: 0, output: { reason: expect.stringMatching(/^550/) } })

    /** Simulates that the email failed this long ago, and makes the queue delete expired jobs. */
    const expireAfter = async (time: string) => {
      await app.pool.query(
        'update pgboss.job set completed_on = now() - $2::interval where id = $1',
        [job?.id, time],
      )
      await app.pool.query('update pgboss.queue set maintain_on = null where name = $1', [
        emailQueueName,
      ])
      await queue.boss.supervise(emailQueueName)
    }
    await expireAfter('13 days 23 hours')
    expect(await findJobs(email)).toHaveLength(1)
    await expireAfter('14 days')
    expect(await findJobs(email)).toEqual([])
  })

  it('is retried for at least 24 hours with nondecreasing delays', async () => {
    const { rows } = await app.pool.query(
      `select retry_limit, retry_delay, retry_backoff, retry_delay_max
       from pgboss.queue where name = $1`,
      [emailQueueName],
    )
    const [settings] = rows
    expect(settings.retry_backoff).toBe(true)
    // The queue doubles the delay after each attempt and adds random jitter of up to the same
    // amount.
    const delayRanges = Array.from({ length: settings.retry_limit }, (_, retryIndex) => {
      const minDelay = settings.retry_delay * 2 ** Math.min(retryIndex, 15)
      const maxDelay = 2 * minDelay
      return [minDelay, maxDelay].map((delay) => Math.min(delay, settings.retry_delay_max))
    })
    const minDelays = delayRanges.map(([delaySeconds = 0]) => delaySeconds)
    expect(minDelays.reduce((sum, delay) => sum + delay)).toBeGreaterThanOrEqual(24 * 60 * 60)
    for (const [retryIndex, [, maxDelay = 0]] of delayRanges.slice(0, -1).entries()) {
      expect(minDelays[retryIndex + 1]).toBeGreaterThanOrEqual(maxDelay)
    }
    expect(minDelays.at(-1)).toBeGreaterThan(minDelays[0] ?? 0)
  })

  it('is the receipt for a deleted account, sent although the account is gone', async () => {
    const { id, email: deletedEmail } = await makePerson(app)
    const deps = { ...app.deps, mailQueue: queue.emails }
    await deleteUser(deps, id, { id, ipAddress: '127.0.0.1' }, () => undefined)
    expect(await app.deps.db.$count(users, eq(users.id, id))).toBe(0)
    await expect.poll(() => listEmailsTo(deletedEmail).length).toBe(1)
    expect(listEmailsTo(deletedEmail)[0]?.subject).toBe('Your Mayfly account was deleted')
  })

  it("isn't sent to an address without an account", async () => {
    const unknownAddress = `${randomUUID()}@example.org`
    await queueResetEmail(unknownAddress)
    await expect.poll(async () => (await findJobs(unknownAddress))[0]?.state).toBe('completed')
    expect(server.attemptedRecipients).not.toContain(unknownAddress)
  })

  it('scheduled for later is sent at its time, once per key', async () => {
    const { id } = await makePerson(app)
    const key = randomUUID()
    const dueAt = new Date(Date.now() + 40 * 24 * 60 * 60_000)
    const account = { userId: id, changedAt: app.clock().toISOString() }
    for (const sendAt of [dueAt, new Date()]) {
      const change = { changedBy: 'session', removedGoogle: false } as const
      const request = { kind: 'password-changed', ...account, ...change } as const
      await queue.emails.add(request, undefined, { at: sendAt, key })
    }
    const { rows } = await app.pool.query(
      'select id, state, start_after, keep_until from pgboss.job where id = $1',
      [key],
    )
    expect(rows).toEqual([
      { id: key, state: 'created', start_after: dueAt, keep_until: expect.any(Date) },
    ])
    // The queue must keep the request at least until it is due.
    expect(rows[0].keep_until.getTime()).toBeGreaterThan(dueAt.getTime())
  })

  it("isn't queued by a transaction that was rolled back", async () => {
    const { id } = await makePerson(app)
    const request = {
      kind: 'password-changed',
      userId: id,
      changedAt: app.clock().toISOString(),
      changedBy: 'email',
      removedGoogle: false,
    } as const
    const transactionPromise = app.deps.db.transaction(async (tx) => {
      await queue.emails.add(request, tx)
      throw new Error('no')
    })
    await expect(transactionPromise).rejects.toThrow('no')
    expect(await findJobs(id)).toEqual([])
    await app.deps.db.transaction((tx) => queue.emails.add(request, tx))
    expect(await findJobs(id)).toHaveLength(1)
  })
})

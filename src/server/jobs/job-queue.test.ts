import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { jobRuns } from '../db/schema.ts'
import type { Mailer } from '../email/mailer.ts'
import { emailQueueName, type JobQueue, openJobQueue } from './job-queue.ts'
import { scheduleJobs, startJobs } from './jobs.ts'

const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function openQueue() {
  return openJobQueue(app.pool, app.deps.log)
}

describe('a clock that was four days ahead and is corrected', () => {
  let queue: JobQueue
  let sentTo: string[]
  const mailer: Mailer = {
    async send({ to }) {
      sentTo.push(to.address)
    },
    check: async () => {},
    close() {},
  }
  /** Starts a server whose timers the test advances. */
  const startServer = async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', ...timers] })
    queue = await openQueue()
    await startJobs({ ...app.deps, mailer }, queue)
  }
  beforeEach(async () => {
    sentTo = []
    queue = await openQueue()
    await scheduleJobs(queue)
    await queue.stop()
    await app.pool.query('delete from pgboss.job; update pgboss.version set cron_on = null')
  })
  afterEach(async () => {
    vi.useRealTimers()
    await queue.stop()
  })

  /** Moves all times recorded by the queue into the future, as if the clock had been ahead. */
  const moveTimestampsAhead = () =>
    app.pool.query(`
      update pgboss.version set cron_on = now() + interval '4 days';
      update pgboss.queue set monitor_claim_on = now() + interval '4 days',
        maintain_on = now() + interval '4 days';
      update pgboss.job set created_on = created_on + interval '4 days',
        start_after = start_after + interval '4 days', started_on = started_on + interval '4 days',
        heartbeat_on = heartbeat_on + interval '4 days',
        singleton_on = singleton_on + interval '4 days'`)
  /** Advances the time until the server has run both of the jobs that run every minute. */
  const waitForJobs = async () => {
    app.clock.advance(60_000)
    const startedAt = app.clock()
    await expect
      .poll(async () => {
        await vi.advanceTimersByTimeAsync(5_000)
        const runs = await app.deps.db
          .select()
          .from(jobRuns)
          .where(eq(jobRuns.startedAt, startedAt))
        return runs.map(({ job }) => job)
      })
      .toEqual(expect.arrayContaining(['expire-files', 'sweep-uploads']))
  }
  /** Returns the queues with a job whose timestamps are at least a day ahead. */
  const findJobsAhead = async () => {
    const { rows } = await app.pool.query<{ name: string }>(`
      select name from pgboss.job, (select now() + interval '1 day') as _ (tomorrow)
      where state < 'active' and start_after > tomorrow
        or state = 'active' and greatest(started_on, heartbeat_on) > tomorrow
        or singleton_on at time zone 'utc' > tomorrow`)
    return rows.map(({ name }) => name)
  }

  it("delays no waiting jobs or emails and doesn't rush scheduled ones", async () => {
    const users = [await makePerson(app), await makePerson(app), await makePerson(app)]
    const [waitingEmail, activeEmail, plannedEmail] = users.map(({ email }) => ({
      kind: 'forgot-password' as const,
      email,
      askedAt: app.clock().toISOString(),
    }))
    if (!waitingEmail || !activeEmail || !plannedEmail) throw new Error('there are three people')
    queue = await openQueue()
    await queue.emails.add(activeEmail)
    expect(await queue.boss.fetch(emailQueueName)).toHaveLength(1)
    await queue.emails.add(waitingEmail)
    await queue.emails.add(plannedEmail, undefined, {
      at: new Date('2100-01-01'),
      key: randomUUID(),
    })
    // While a failed run waits for its retry, no other run of the job starts.
    await queue.boss.send('expire-files')
    const [failedJob] = await queue.boss.fetch('expire-files')
    await queue.boss.fail('expire-files', failedJob?.id ?? '')
    await queue.stop()
    await moveTimestampsAhead()
    expect(await findJobsAhead()).toContain('expire-files')

    await startServer()
    await waitForJobs()
    await expect.poll(() => sentTo).toEqual([waitingEmail.email])
    expect(await findJobsAhead()).toEqual([emailQueueName])
  })

  it("doesn't stop the jobs of a running server", async () => {
    await startServer()
    await waitForJobs()
    await moveTimestampsAhead()
    vi.setSystemTime(Date.now() - 4 * dayInMs)
    await waitForJobs()
    expect(await findJobsAhead()).toEqual([])
  })
})

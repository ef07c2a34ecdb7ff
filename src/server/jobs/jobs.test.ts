import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson } from '../../../tests/support/make.ts'
import { scrape } from '../../../tests/support/scrape.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { jobRuns, rateLimits } from '../db/schema.ts'
import type { Mailer } from '../email/mailer.ts'
import type { StoredObject } from '../storage/storage.ts'
import { createStores } from '../storage/stores.ts'
import { emailQueueName, type JobQueue, openJobQueue } from './job-queue.ts'
import { scheduleJobs, startJobs } from './jobs.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function startQueue() {
  return openJobQueue(app.pool, app.deps.log)
}

/** Returns the jobs' dependencies, with a mailer that calls `send`. */
function createJobDeps(send: Mailer['send'] = async () => {}) {
  return { ...app.deps, mailer: { send, check: async () => {}, close() {} } }
}

async function findJobRun(job: string) {
  const [row] = await app.deps.db.select().from(jobRuns).where(eq(jobRuns.job, job))
  return row
}

describe('the schedule', () => {
  it('runs a job once for two servers and stops cleanly', async () => {
    const key = randomBytes(8).toString('hex')
    await app.deps.db.insert(rateLimits).values({ key, points: 1, expire: 1 })
    const queues = await Promise.all([startQueue(), startQueue()])
    const [firstQueue, secondQueue] = queues
    await startJobs(createJobDeps(), firstQueue)
    // Workers poll for work when they start.
    await firstQueue.boss.send('remove-lapsed-rows')
    await startJobs(createJobDeps(), secondQueue)
    const { rows } = await app.pool.query('select name, cron from pgboss.schedule order by name')
    expect(rows).toEqual([
      { name: 'compare-storage', cron: '17 3 * * *' },
      { name: 'compute-digests', cron: '* * * * *' },
      { name: 'expire-files', cron: '* * * * *' },
      { name: 'expire-trials', cron: '*/10 * * * *' },
      { name: 'remove-lapsed-rows', cron: '*/10 * * * *' },
      { name: 'remove-old-days', cron: '41 3 * * *' },
      { name: 'report-overdue', cron: '* * * * *' },
      { name: 'sweep-uploads', cron: '* * * * *' },
      { name: 'tell-ending-links', cron: '*/10 * * * *' },
      { name: 'tell-first-downloads', cron: '* * * * *' },
    ])
    await expect.poll(() => app.deps.db.$count(rateLimits, eq(rateLimits.key, key))).toBe(0)
    await Promise.all(queues.map((queue) => queue.stop()))
  })

  it("records each job's last run with its result or error", async () => {
    const queue = await startQueue()
    const stores = createStores({ ...app.storage, list: () => failingListing('the store is away') })
    const now = app.clock()
    await scheduleJobs(queue)
    for (const name of ['compare-storage', 'expire-files', 'sweep-uploads']) {
      await queue.boss.send(name)
    }
    await startJobs({ ...createJobDeps(), stores }, queue)
    await expect
      .poll(() => findJobRun('compare-storage'))
      .toMatchObject({
        endedAt: null,
        failedAt: now,
        failure: 'the store is away',
      })
    await expect
      .poll(() => findJobRun('expire-files'))
      .toMatchObject({
        startedAt: now,
        endedAt: now,
        result: { purged: 0, failed: 0 },
        failedAt: null,
      })
    await expect
      .poll(() => findJobRun('sweep-uploads'))
      .toMatchObject({ result: { ended: 0, removed: 0, failed: 0, overdue: 0 } })
    const metrics = await scrape(app)
    const getRunCount = (labels: string) =>
      metrics.get(`mayfly_job_duration_seconds_count{${labels}}`)
    // The queue retries a failed run after a few seconds.
    expect(getRunCount('job="compare-storage",outcome="failed"')).toBeGreaterThan(0)
    expect(getRunCount('job="expire-files",outcome="done"')).toBeGreaterThan(0)
    await queue.stop()
  })
})

describe('a run whose server was killed', () => {
  let queues: JobQueue[] = []
  /**
   * Starts a server whose jobs run until the test ends. Its workers poll at once for what `enqueue`
   * has queued.
   */
  const startServer = async (
    deps = createJobDeps(),
    enqueue: (queue: JobQueue) => Promise<unknown> = async () => {},
  ) => {
    const queue = await startQueue()
    queues.push(queue)
    await enqueue(queue)
    await startJobs(deps, queue)
    return queue
  }
  const stopServers = async () => {
    await Promise.all(queues.map((queue) => queue.stop()))
    queues = []
  }
  beforeAll(async () => {
    await startServer()
    await stopServers()
  })
  beforeEach(async () => {
    // Removes earlier tests' jobs from the queues.
    await app.pool.query('delete from pgboss.job')
  })
  afterEach(async () => {
    vi.useRealTimers()
    await stopServers()
  })

  /** Takes a job from a queue and stops without processing it, like a killed server. */
  const abandonJob = async (name: string, enqueue: (queue: JobQueue) => Promise<unknown>) => {
    const queue = await startQueue()
    await enqueue(queue)
    expect(await queue.boss.fetch(name)).toHaveLength(1)
    await queue.stop()
  }
  const enqueuePurge = ({ boss }: JobQueue) => boss.send('expire-files')

  /**
   * Moves the queues' timestamps into the past, and makes the queues check for dead runs
   * immediately.
   */
  const advanceMinutes = async (minutes: number) => {
    await app.pool.query(
      `update pgboss.job set started_on = started_on - $1::interval,
         heartbeat_on = heartbeat_on - $1::interval, start_after = start_after - $1::interval
       where state <= 'active'`,
      [`${minutes} minutes`],
    )
    await app.pool.query('update pgboss.queue set monitor_claim_on = null, monitor_on = null')
  }
  /**
   * Lets one server detect dead runs, and then starts another server, which polls for work at once.
   */
  const takeOver = async ({ boss }: Pick<JobQueue, 'boss'>, deps = createJobDeps()) => {
    await boss.supervise()
    await advanceMinutes(2)
    await startServer(deps)
  }
  const findUnfinishedJobs = async (name: string) => {
    const { rows } = await app.pool.query<{ state: string; is_fresh: boolean }>(
      `select state, heartbeat_on > now() - interval '1 minute' as is_fresh
       from pgboss.job where name = $1 and state <= 'active'`,
      [name],
    )
    return rows
  }

  it('is taken over by another server within minutes and no longer blocks new runs', async () => {
    await abandonJob('expire-files', enqueuePurge)
    app.clock.advance(60_000)
    const now = app.clock()
    const server = await startServer()
    await server.boss.send('expire-files')
    expect(await findUnfinishedJobs('expire-files')).toMatchObject([{ state: 'active' }])
    await advanceMinutes(2)
    await takeOver(server)
    await expect
      .poll(() => findJobRun('expire-files'))
      .toMatchObject({ startedAt: now, endedAt: now })
  })

  it('is distinguished from a run that takes hours on a live server', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { promise: runEndPromise, resolve: endRun } = Promise.withResolvers<void>()
    const onStart = vi.fn()
    const stores = createStores({
      ...app.storage,
      async *list() {
        onStart()
        await runEndPromise
        yield* app.storage.list()
      },
    })
    const deps = { ...createJobDeps(), stores }
    const server = await startServer(deps, ({ boss }) => boss.send('compare-storage'))
    await expect.poll(() => onStart.mock.calls.length).toBe(1)
    await advanceMinutes(3 * 60)
    expect(await findUnfinishedJobs('compare-storage')).toEqual([
      { state: 'active', is_fresh: false },
    ])
    await vi.advanceTimersByTimeAsync(20_000)
    await expect
      .poll(() => findUnfinishedJobs('compare-storage'))
      .toEqual([{ state: 'active', is_fresh: true }])
    await server.boss.supervise()
    expect(await findUnfinishedJobs('compare-storage')).toEqual([
      { state: 'active', is_fresh: true },
    ])
    endRun()
    await expect.poll(() => findUnfinishedJobs('compare-storage')).toEqual([])
    expect(onStart).toHaveBeenCalledTimes(1)
  })

  it('is retried within minutes if it was sending an email', async () => {
    const { email } = await makePerson(app)
    const askedAt = app.clock().toISOString()
    await abandonJob(emailQueueName, ({ emails }) =>
      emails.add({ kind: 'forgot-password', email, askedAt }),
    )
    const sentTo: string[] = []
    const deps = createJobDeps(async ({ to }) => {
      sentTo.push(to.address)
    })
    const server = await startServer(deps)
    await advanceMinutes(3)
    await takeOver(server, deps)
    await expect.poll(() => sentTo).toEqual([email])
  })
})

// biome-ignore lint/correctness/useYield: it fails before it lists anything.
async function* failingListing(message: string): AsyncGenerator<StoredObject> {
  throw new Error(message)
}

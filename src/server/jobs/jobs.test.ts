import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { jobRuns, rateLimits } from '../db/schema.ts'
import type { StoredObject } from '../storage/storage.ts'
import { createStores } from '../storage/stores.ts'
import { openJobQueue } from './job-queue.ts'
import { startJobs } from './jobs.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function startQueue() {
  return openJobQueue(app.pool, app.deps.log)
}

describe('the schedule', () => {
  it('runs a job once for two servers, and stops in order', async () => {
    const key = randomBytes(8).toString('hex')
    await app.deps.db.insert(rateLimits).values({ key, points: 1, expire: 1 })
    const queues = await Promise.all([startQueue(), startQueue()])
    const mailer = { send: async () => {}, close() {} }
    const servers = await Promise.all(
      queues.map((queue) => startJobs({ ...app.deps, mailer }, queue)),
    )
    const { rows } = await app.pool.query('select name, cron from pgboss.schedule order by name')
    expect(rows).toEqual([
      { name: 'compare-storage', cron: '17 3 * * *' },
      { name: 'expire-files', cron: '* * * * *' },
      { name: 'expire-trials', cron: '*/10 * * * *' },
      { name: 'remove-lapsed-rows', cron: '*/10 * * * *' },
      { name: 'remove-old-days', cron: '41 3 * * *' },
      { name: 'sweep-uploads', cron: '* * * * *' },
      { name: 'tell-ending-links', cron: '*/10 * * * *' },
      { name: 'tell-first-downloads', cron: '* * * * *' },
    ])
    await servers[0]?.run('remove-lapsed-rows')
    await expect.poll(() => app.deps.db.$count(rateLimits, eq(rateLimits.key, key))).toBe(0)
    await Promise.all(queues.map((queue) => queue.stop()))
  })

  it('notes of each job when it ran last and what it did, or why it failed', async () => {
    const queue = await startQueue()
    const mailer = { send: async () => {}, close() {} }
    const stores = createStores({ ...app.storage, list: () => failing('the store is away') })
    const { run } = await startJobs({ ...app.deps, stores, mailer }, queue)
    const noted = async (job: string) => {
      const [row] = await app.deps.db.select().from(jobRuns).where(eq(jobRuns.job, job))
      return row
    }
    const now = app.clock()
    await Promise.all([run('compare-storage'), run('expire-files'), run('sweep-uploads')])
    await expect
      .poll(() => noted('compare-storage'))
      .toMatchObject({
        endedAt: null,
        failedAt: now,
        failure: 'the store is away',
      })
    await expect
      .poll(() => noted('expire-files'))
      .toMatchObject({
        startedAt: now,
        endedAt: now,
        result: { purged: 0, failed: 0, overdue: 0 },
        failedAt: null,
      })
    await expect
      .poll(() => noted('sweep-uploads'))
      .toMatchObject({ result: { ended: 0, removed: 0, failed: 0, overdue: 0 } })
    await queue.stop()
  })
})

// biome-ignore lint/correctness/useYield: it fails before it lists anything.
async function* failing(message: string): AsyncGenerator<StoredObject> {
  throw new Error(message)
}

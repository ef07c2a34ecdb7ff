import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  deleteJobRuns,
  findLine,
  getCheckLine,
  requestChecks,
  scheduleJobs,
  withRunningJobs,
} from '../../../../tests/support/check-lines.ts'
import { makeFile, makePerson, type Person } from '../../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import { minuteInMs } from '../../../shared/rules/format/units.ts'
import { jobRuns } from '../../db/schema.ts'
import { expireFiles } from '../../files/expire-files.ts'
import { markDeleted } from '../../files/queries.ts'
import { type JobQueue, openJobQueue } from '../../jobs/job-queue.ts'
import { recordFailedRun, recordRun } from '../../jobs/queries.ts'
import { createStores } from '../../storage/stores.ts'

let app: TestApp
let queue: JobQueue
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  queue = await openJobQueue(app.pool, app.deps.log)
  await scheduleJobs(app)
  admin = await makePerson(app, { role: 'admin' })
})
afterEach(() => deleteJobRuns(app))
afterAll(async () => {
  await queue.stop()
  await app.close()
})

describe('the jobs', () => {
  it('show the error of a failed job', async () => {
    const list = () => {
      throw new Error('the store is away')
    }
    const deps = { ...app.deps, stores: createStores({ ...app.storage, list }) }
    await queue.boss.send('compare-storage')
    await withRunningJobs(
      app,
      async () => {
        await expect.poll(() => app.deps.db.$count(jobRuns, sql`failures > 0`)).toBe(1)
      },
      deps,
    )
    const line = await getCheckLine(admin, 'Jobs: compare-storage')
    expect(line).toMatchObject({ cure: expect.stringContaining('job failed') })
    // The queue may already have retried the job once, which makes two failures.
    expect(line.message).toMatch(/^The last (run|2 runs) failed, .* UTC: the store is away\./)
  })

  it('are failing after three consecutive failures and recover with a success', async () => {
    const jobName = 'expire-files'
    const fail = (failure: string) =>
      recordFailedRun(app.deps.db, { job: jobName, failedAt: app.clock(), failure })
    const succeed = () => {
      const now = app.clock()
      const result = { purged: 12, failed: 0 }
      return recordRun(app.deps.db, { job: jobName, startedAt: now, endedAt: now, result })
    }
    const fetchCheckStatus = async () => (await getCheckLine(admin, `Jobs: ${jobName}`)).status
    await succeed()
    await fail('first')
    await fail('second')
    expect(await fetchCheckStatus()).toBe('warning')
    await fail('third')
    const line = await getCheckLine(admin, `Jobs: ${jobName}`)
    expect(line.status).toBe('failing')
    expect(line.message).toMatch(
      /^The last 3 runs failed, .*: third\. Last success: .*: 0 failed \(will be retried\), 12 files deleted from storage\./,
    )
    await succeed()
    expect(await fetchCheckStatus()).toBe('ok')
    await fail('again')
    expect((await getCheckLine(admin, `Jobs: ${jobName}`)).message).toMatch(/^The last run failed/)
  })

  it('include a failing line for a job that never runs', async () => {
    const now = app.clock()
    app.clock.advance(18 * minuteInMs)
    const runTime = app.clock()
    await recordRun(app.deps.db, {
      job: 'sweep-uploads',
      startedAt: runTime,
      endedAt: runTime,
      result: {},
    })
    const lines = await requestChecks(admin)
    app.clock.set(now)
    expect(findLine(lines, 'Jobs: expire-files')).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^It should run every 60 seconds and does not\./),
    })
    expect(findLine(lines, 'Jobs: sweep-uploads').status).toBe('ok')
    expect(findLine(lines, 'Jobs: compare-storage').status).toBe('ok')
  })

  it("include a failing line for a job that isn't scheduled", async () => {
    const { rows } = await app.pool.query(
      "select * from pgboss.schedule where name = 'expire-trials'",
    )
    await queue.boss.unschedule('expire-trials')
    const line = await getCheckLine(admin, 'Jobs: expire-trials')
    await queue.boss.schedule('expire-trials', rows[0].cron)
    expect(line).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('not scheduled'),
    })
  })

  it('are failing while bytes are still stored 15 minutes after their deletion was due', async () => {
    const name = 'Jobs: bytes that should be gone'
    const file = await makeFile(admin)
    await markDeleted(app.deps.db, admin.id, [file.id], app.clock())
    app.clock.advance(14 * minuteInMs)
    expect((await getCheckLine(admin, name)).status).toBe('ok')
    app.clock.advance(minuteInMs)
    expect(await getCheckLine(admin, name)).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^The bytes of 1 file and 0 uploads are still in storage, /),
    })
    await expireFiles(app.deps)
    expect((await getCheckLine(admin, name)).status).toBe('ok')
  })

  it('are failing if the last comparison found missing bytes', async () => {
    const name = 'Jobs: files whose bytes are missing'
    expect(await getCheckLine(admin, name)).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('has not been compared with the database yet'),
    })
    const now = app.clock()
    const result = { objects: 5, removed: 0, failed: 0, missing: 2 }
    await recordRun(app.deps.db, { job: 'compare-storage', startedAt: now, endedAt: now, result })
    expect(await getCheckLine(admin, name)).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/^2 files have no bytes/),
    })
  })
})

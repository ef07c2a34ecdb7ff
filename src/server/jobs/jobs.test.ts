import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, makePerson, putBytes, startUpload } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { files, rateLimits, uploads } from '../db/schema.ts'
import { openJobQueue } from './job-queue.ts'
import { startJobs } from './jobs.ts'
import { sweepOrphans } from './sweep-orphans.ts'

const hour = 60 * 60_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function startQueue() {
  return openJobQueue(app.pool, app.deps.log)
}

describe('the orphan sweep', () => {
  it('removes objects that no row names once they are 24 h old, and never any other', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const file = await makeFile(person)
    const open = await startUpload(person, { size: 3 })
    await putBytes(open, new Uint8Array(3))
    const lostUpload = await startUpload(person, { size: 3 })
    await putBytes(lostUpload, new Uint8Array(3))
    const lostFile = await makeFile(person)
    const keyOf = async (id: string) => {
      const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
      return row?.storageKey ?? ''
    }
    const [kept, lost] = [await keyOf(file.id), await keyOf(lostFile.id)]
    await app.deps.db.delete(uploads).where(eq(uploads.storageKey, lostUpload.cloudKey))
    await app.deps.db.delete(files).where(eq(files.id, lostFile.id))

    // Objects on the disk have real dates, so the test sets its clock by the real time.
    app.clock.set(new Date(Date.now() + 24 * hour - 60_000))
    expect(await sweepOrphans(app.deps)).toBe(0)
    app.clock.set(new Date(Date.now() + 24 * hour + 60_000))
    const swept = await Promise.all([sweepOrphans(app.deps), sweepOrphans(app.deps)])
    expect(swept.every((removed) => removed <= 2)).toBe(true)

    const { storage } = app
    expect(await storage.storedSize(kept)).toBe(1000)
    expect(await storage.storedSize(open.cloudKey)).toBe(3)
    expect(await storage.storedSize(lostUpload.cloudKey)).toBeNull()
    expect(await storage.storedSize(lost)).toBeNull()
  })
})

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
      { name: 'expire-files', cron: '* * * * *' },
      { name: 'expire-trials', cron: '*/10 * * * *' },
      { name: 'remove-lapsed-rows', cron: '*/10 * * * *' },
      { name: 'remove-old-days', cron: '41 3 * * *' },
      { name: 'sweep-orphans', cron: '17 * * * *' },
      { name: 'sweep-uploads', cron: '*/10 * * * *' },
      { name: 'tell-ending-links', cron: '*/10 * * * *' },
      { name: 'tell-first-downloads', cron: '* * * * *' },
    ])
    await servers[0]?.run('remove-lapsed-rows')
    await expect.poll(() => app.deps.db.$count(rateLimits, eq(rateLimits.key, key))).toBe(0)
    await Promise.all(queues.map((queue) => queue.stop()))
  })
})

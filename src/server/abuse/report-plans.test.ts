import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { analyzedPlansOf, countRowsRead } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { deleteClosedReports, deleteExpiredReports, findLastReport } from './report-queries.ts'

const day = 24 * 60 * 60_000
const closedReportCount = 10_000
const ownerCount = 1000
const reportsPerOwner = closedReportCount / ownerCount

/** A file with two closed reports, in a table full of reports on other files. */
const fileId = randomUUID()

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  // The reports were closed one minute apart, in insertion order.
  await app.pool.query(
    `insert into reports (file_id, owner_id, short_code, original_name, mime_type, size, count,
      statements, first_reported_at, last_reported_at, closed_at, outcome)
    select case when n in (40, 50) then $3::uuid else gen_random_uuid() end, 'owner-' || n % $4::int,
      'code-' || n, 'a', 'text/plain', 1, 1, '[]', moment, moment, moment, 'dismissed'
    from generate_series(1, $1::int) n, lateral (select $2::timestamptz + n * interval '1 minute') m (moment)`,
    [closedReportCount, app.clock(), fileId, ownerCount],
  )
  await app.pool.query('vacuum analyze reports')
})
afterAll(() => app.close())

async function countReportRowsRead(work: () => Promise<unknown>): Promise<number> {
  const plans = await analyzedPlansOf(app.pool, work)
  const reportPlans = plans.filter((plan) => / on reports\b/.test(plan))
  expect(reportPlans.length).toBeGreaterThan(0)
  for (const plan of reportPlans) expect(plan).not.toContain('Seq Scan on reports')
  return reportPlans.reduce((sum, plan) => sum + countRowsRead(plan, 'reports'), 0)
}

it('finds the last report of a file among many closed ones with an index', async () => {
  const { db } = app.deps
  const readCount = await countReportRowsRead(async () => {
    expect(await findLastReport(db, fileId)).toMatchObject({ shortCode: 'code-50' })
  })
  expect(readCount).toBeLessThanOrEqual(4)
})

it('removes the closed reports of one owner without reading those of others', async () => {
  const readCount = await countReportRowsRead(() => deleteClosedReports(app.deps.db, 'owner-500'))
  expect(readCount).toBeLessThanOrEqual(3 * reportsPerOwner)
  expect((await app.pool.query(`select from reports where owner_id = 'owner-500'`)).rowCount).toBe(
    0,
  )
})

it('removes old closed reports without reading newer ones', async () => {
  const { clock, db } = app.deps
  const now = new Date(clock().getTime() + 30 * day + 20 * 60_000)
  const readCount = await countReportRowsRead(async () => {
    expect(await deleteExpiredReports(db, now)).toBe(19)
  })
  expect(readCount).toBeLessThanOrEqual(5 * 19)
})

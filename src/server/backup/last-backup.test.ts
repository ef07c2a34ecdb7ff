import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../tests/support/open-fresh-database.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { recordBackup, watchBackups } from './last-backup.ts'

let server: FreshDatabase
beforeAll(async () => {
  server = await openFreshDatabase()
})
afterAll(() => server.close())

it('the metrics show the time of the last backup, and omit it while the database is down', async () => {
  const metrics = createMetrics()
  watchBackups({ db: server.db, metrics })
  const readGauge = async () =>
    /^mayfly_last_backup_timestamp_seconds (.*)$/m.exec(await metrics.scrape())?.[1]
  expect(await readGauge()).toBe('0')
  const madeAt = new Date('2026-03-04T05:06:07.000Z')
  await recordBackup(server.pool, { madeAt: madeAt.toISOString(), objects: 1, faults: 0 })
  expect(await readGauge()).toBe(String(madeAt.getTime() / 1000))
  await server.pool.query('alter table settings rename to away')
  expect(await readGauge()).toBeUndefined()
  await server.pool.query('alter table away rename to settings')
  expect(await readGauge()).toBe(String(madeAt.getTime() / 1000))
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../../tests/support/postgres-server.ts'
import { openDatabase } from '../../db/open.ts'
import type { Database } from '../../db/pool.ts'
import { poolLimits } from '../../db/pool.ts'
import { checkDatabase } from './database.ts'

let database: TestDatabase
let server: Database
beforeAll(async () => {
  database = await freshDatabase()
  const log = { info() {}, warn() {} }
  server = await openDatabase({ dataDir: '/nowhere', databaseUrl: database.url }, log)
})
afterAll(async () => {
  await server.close()
  await database.drop()
})

it('warns if the database has too few connections for the pool', async () => {
  const { db, pool } = server
  const { rows } = await pool.query<{ allowed: number }>(
    `select current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed`,
  )
  const runCheck = (maxDatabaseConnections: number) => checkDatabase({ db, maxDatabaseConnections })
  expect(await runCheck(poolLimits.connections)).toMatchObject([
    { status: 'ok', message: expect.stringMatching(/uses \d+ of its \d+ .* needs up to 10\.$/) },
  ])
  expect(await runCheck((rows[0]?.allowed ?? 0) + 1)).toMatchObject([
    { status: 'warning', cure: expect.stringContaining('max_connections') },
  ])
})

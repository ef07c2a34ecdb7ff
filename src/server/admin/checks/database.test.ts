import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../../tests/support/postgres-server.ts'
import { type Database, openDatabase } from '../../db/open.ts'
import { poolLimits } from '../../db/pool-limits.ts'
import { checkDatabase } from './database.ts'

const log = { info() {}, warn() {} }

let database: TestDatabase
/** How many connections Postgres allows in all. */
let allowed: number
/** The pools and sessions that the test opened, in their order. */
let opened: { close(): Promise<void> }[]
beforeAll(async () => {
  database = await freshDatabase()
  opened = []
  const { pool } = await openServer()
  const { rows } = await pool.query<{ allowed: number }>(
    `select current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed`,
  )
  allowed = rows[0]?.allowed ?? Number.NaN
})
afterAll(async () => {
  for (const one of opened.reverse()) await one.close()
  await database.drop()
})

async function openServer(): Promise<Database> {
  const server = await openDatabase({ dataDir: '/nowhere', databaseUrl: database.url }, log)
  opened.push(server)
  return server
}

/** Opens a server that may be one of several, with `connections` of its pool in use. */
async function openOneOfSeveral(connections: number): Promise<Database> {
  const server = await openServer()
  opened.push(await server.openSession())
  const clients = await Promise.all(
    Array.from({ length: connections }, () => server.pool.connect()),
  )
  for (const client of clients) client.release()
  return server
}

it('counts what the pool of a single server may still open', async () => {
  const { db } = await openServer()
  const asked = (mostDatabaseConnections: number) => checkDatabase({ db, mostDatabaseConnections })
  expect(await asked(poolLimits.connections)).toMatchObject([
    { status: 'ok', message: expect.stringMatching(/ This server has \d+ .* need up to 10; /) },
  ])
  expect(await asked(allowed + 1)).toMatchObject([
    { status: 'warning', cure: expect.stringContaining('max_connections') },
  ])
})

it('warns of several servers that together may need too many, also while these have many', async () => {
  await openOneOfSeveral(2)
  const { db } = await openOneOfSeveral(8)
  const most = Math.floor(allowed / 2)
  expect(await checkDatabase({ db, mostDatabaseConnections: most })).toMatchObject([
    {
      status: 'warning',
      message: expect.stringMatching(
        new RegExp(
          `The 2 servers .* together have \\d+ of them and may need up to ${2 * most + 2}:`,
        ),
      ),
    },
  ])
  expect(await checkDatabase({ db, mostDatabaseConnections: 8 })).toMatchObject([
    { status: 'ok', message: expect.stringContaining('may need up to 18;') },
  ])
})

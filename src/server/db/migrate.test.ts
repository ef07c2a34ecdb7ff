import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { emptyDatabase, freshDatabase } from '../../../tests/support/postgres.ts'
import { StartupError } from '../errors.ts'
import { migrateDatabase } from './migrate.ts'

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

const appliedMigrations = 'select hash, created_at from drizzle.__drizzle_migrations order by id'

test('concurrently starting servers migrate an empty database once', async () => {
  const database = await emptyDatabase()
  const connection = { connectionString: database.url }
  await Promise.all([migrateDatabase(connection), migrateDatabase(connection)])

  const migratedDatabase = await freshDatabase()
  expect(await query(database.url, appliedMigrations)).toEqual(
    await query(migratedDatabase.url, appliedMigrations),
  )
  expect(await query(database.url, 'select * from users')).toEqual([])
  await Promise.all([database.drop(), migratedDatabase.drop()])
})

test("a database timeout doesn't cancel the wait for another server", async () => {
  const database = await emptyDatabase()
  const name = pg.escapeIdentifier(new URL(database.url).pathname.slice(1))
  await query(
    database.url,
    `alter database ${name} set statement_timeout = 100; alter database ${name} set lock_timeout = 100`,
  )
  const otherServer = new pg.Client({ connectionString: database.url })
  await otherServer.connect()
  await otherServer.query('set statement_timeout = 0')
  await otherServer.query("select pg_advisory_lock(hashtextextended('mayfly: migrations', 0))")
  const migration = migrateDatabase({ connectionString: database.url })
  const waitingQuery = "select pid from pg_locks where locktype = 'advisory' and not granted"
  await expect.poll(() => query(database.url, waitingQuery)).toHaveLength(1)
  await otherServer.query('select pg_sleep(0.3)')
  await otherServer.end()
  await migration
  expect(await query(database.url, 'select * from users')).toEqual([])
  await database.drop()
})

test('a second run changes nothing', async () => {
  const database = await freshDatabase()
  await query(database.url, "insert into short_codes values ('kept', now())")
  const appliedBefore = await query(database.url, appliedMigrations)
  await migrateDatabase({ connectionString: database.url })
  expect(await query(database.url, appliedMigrations)).toEqual(appliedBefore)
  expect(await query(database.url, 'select code from short_codes')).toEqual([{ code: 'kept' }])
  await database.drop()
})

test('a different baseline stops startup and leaves the database unchanged', async () => {
  const database = await emptyDatabase()
  await query(
    database.url,
    `create schema drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('of 0000_tables', 1763000000000)`,
  )
  const migration = migrateDatabase({ connectionString: database.url })
  await expect(migration).rejects.toThrow(StartupError)
  await expect(migration).rejects.toThrow('Start with an empty database and an empty DATA_DIR')
  const tablesQuery = "select 1 from pg_tables where schemaname = 'public'"
  expect(await query(database.url, tablesQuery)).toEqual([])
  await database.drop()
})

test('the baseline matches the schema', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-baseline-'))
  await promisify(execFile)('node', ['scripts/regenerate-baseline.mjs', folder])
  for (const name of ['0000_baseline.sql', 'meta/0000_snapshot.json']) {
    const committedContent = await readFile(join(import.meta.dirname, 'migrations', name), 'utf8')
    expect(await readFile(join(folder, name), 'utf8'), 'run: npm run migrations').toBe(
      committedContent,
    )
  }
  await rm(folder, { recursive: true })
})

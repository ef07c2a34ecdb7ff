import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { emptyDatabase, freshDatabase } from '../../../tests/support/postgres.ts'
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

const applied = 'select hash, created_at from drizzle.__drizzle_migrations order by id'

test('two servers that start together on an empty database migrate it once', async () => {
  const database = await emptyDatabase()
  const connection = { connectionString: database.url }
  await Promise.all([migrateDatabase(connection), migrateDatabase(connection)])

  const once = await freshDatabase()
  expect(await query(database.url, applied)).toEqual(await query(once.url, applied))
  expect(await query(database.url, 'select * from users')).toEqual([])
  await Promise.all([database.drop(), once.drop()])
})

test('a limit of the database does not end the wait for another server', async () => {
  const database = await emptyDatabase()
  const name = pg.escapeIdentifier(new URL(database.url).pathname.slice(1))
  await query(
    database.url,
    `alter database ${name} set statement_timeout = 100; alter database ${name} set lock_timeout = 100`,
  )
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await other.query('set statement_timeout = 0')
  await other.query("select pg_advisory_lock(hashtextextended('mayfly: migrations', 0))")
  const migrated = migrateDatabase({ connectionString: database.url })
  const waiting = "select pid from pg_locks where locktype = 'advisory' and not granted"
  await expect.poll(() => query(database.url, waiting)).toHaveLength(1)
  await other.query('select pg_sleep(0.3)')
  await other.end()
  await migrated
  expect(await query(database.url, 'select * from users')).toEqual([])
  await database.drop()
})

test('a second run changes nothing', async () => {
  const database = await freshDatabase()
  await query(database.url, "insert into short_codes values ('kept', now())")
  const before = await query(database.url, applied)
  await migrateDatabase({ connectionString: database.url })
  expect(await query(database.url, applied)).toEqual(before)
  expect(await query(database.url, 'select code from short_codes')).toEqual([{ code: 'kept' }])
  await database.drop()
})

test('downloads that were counted for files before count for the days of their owners', async () => {
  const folder = join(import.meta.dirname, 'migrations')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  const analytics = names.findIndex((name) => name.endsWith('_analytics.sql'))
  const database = await emptyDatabase()
  const migrate = async (some: string[]) => {
    for (const name of some) await query(database.url, await readFile(join(folder, name), 'utf8'))
  }
  await migrate(names.slice(0, analytics))
  await query(
    database.url,
    `insert into users (id, name, email, created_at, updated_at)
      values ('ada', 'Ada', 'ada@example.org', now(), now());
    insert into files (owner_id, storage, storage_key, original_name, mime_type, size, short_code,
        created_at, expires_at, max_lifetime_at, download_count)
      select 'ada', 'disk', 'key' || n, n || '.pdf', 'application/octet-stream', 1, 'code' || n,
        now(), now(), now(), n * 20 from generate_series(1, 2) n;
    insert into file_downloads select id, '2026-11-20', 5 from files;
    insert into file_downloads select id, '2026-11-21', 7 from files where download_count = 20;
    insert into first_downloads select id from files where download_count = 20`,
  )
  await migrate(names.slice(analytics))
  const days = 'select day::text, count from owner_downloads order by day'
  expect(await query(database.url, days)).toEqual([
    { day: '2026-11-20', count: 10 },
    { day: '2026-11-21', count: 7 },
  ])
  const facts = 'select kind, download_rank, last_download_at from files order by download_rank'
  expect(await query(database.url, facts)).toEqual([
    { kind: 'pdf', download_rank: 6, last_download_at: null },
    { kind: 'pdf', download_rank: 13, last_download_at: null },
  ])
  expect(await query(database.url, 'select owner_id from first_downloads')).toEqual([
    { owner_id: 'ada' },
  ])
  await database.drop()
})

import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyDatabase, freshDatabase } from '../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../tests/support/postgres-server.ts'
import { StartupError } from '../errors.ts'
import { migrationsFolder } from '../package-files.ts'
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

test('an upgrade from 1.0.0 counts the files of each link', async () => {
  const database = await emptyDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-baseline-'))
  await cp(migrationsFolder, folder, { recursive: true })
  const journalPath = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(await readFile(journalPath, 'utf8'))
  await writeFile(journalPath, JSON.stringify({ ...journal, entries: [journal.entries[0]] }))
  await migrateDatabase({ connectionString: database.url }, folder)
  await query(
    database.url,
    `insert into users (id, name, email, created_at, updated_at)
      values ('ada', 'Ada', 'ada@example.org', now(), now());
    insert into links (id, owner_id, short_code, title, expiration_days, max_lifetime_days, created_at,
        expires_at, max_lifetime_at)
      select md5(code)::uuid, 'ada', code, title, 3, 30, now(), now(), now()
      from (values ('both', 'Holiday'), ('file', null), ('empty', null)) made (code, title);
    insert into files (owner_id, storage, storage_key, original_name, mime_type, size, link_id,
        position, created_at, purge_at)
      select 'ada', 'disk', code, 'B.txt', 'text/plain', 20, md5(code)::uuid, 1, now(), now()
      from (values ('both'), ('file')) made (code);
    insert into uploads (owner_id, storage, storage_key, original_name, mime_type, size, link_id,
        position, created_at, last_activity_at)
      values ('ada', 'disk', 'open', 'A.txt', 'text/plain', 10, md5('both')::uuid, 0, now(), now())`,
  )
  await migrateDatabase({ connectionString: database.url })
  const columns = 'short_code, file_count, pending_count, total_size, first_name, sort_name'
  expect(await query(database.url, `select ${columns} from links order by short_code`)).toEqual([
    {
      ...{ short_code: 'both', file_count: 2, pending_count: 1, total_size: '30' },
      ...{ first_name: 'A.txt', sort_name: 'holiday' },
    },
    {
      ...{ short_code: 'file', file_count: 1, pending_count: 0, total_size: '20' },
      ...{ first_name: 'B.txt', sort_name: 'b.txt' },
    },
  ])
  await Promise.all([database.drop(), rm(folder, { recursive: true })])
})

describe('an upgrade', () => {
  const renaming = 'alter table short_codes rename column code to short_code'
  let database: TestDatabase
  let newerFolder: string
  beforeEach(async () => {
    database = await freshDatabase()
    await query(database.url, "insert into short_codes values ('kept', now())")
    newerFolder = await mkdtemp(join(tmpdir(), 'mayfly-newer-'))
    await cp(migrationsFolder, newerFolder, { recursive: true })
    const journalPath = join(newerFolder, 'meta/_journal.json')
    const journal = JSON.parse(await readFile(journalPath, 'utf8'))
    const tag = '9999_newer'
    const idx = journal.entries.length
    journal.entries.push({ ...journal.entries[0], idx, when: Date.now(), tag })
    await writeFile(journalPath, JSON.stringify(journal))
    await writeFile(join(newerFolder, `${tag}.sql`), renaming)
  })
  afterEach(async () => {
    await rm(newerFolder, { recursive: true })
    await database.drop()
  })

  test('keeps the rows', async () => {
    await migrateDatabase({ connectionString: database.url }, newerFolder)
    const rows = await query(database.url, 'select short_code from short_codes')
    expect(rows).toEqual([{ short_code: 'kept' }])
  })

  test('that fails changes nothing', async () => {
    await writeFile(join(newerFolder, '9999_newer.sql'), `${renaming}; select 1 / 0`)
    const migration = migrateDatabase({ connectionString: database.url }, newerFolder)
    await expect(migration).rejects.toThrow()
    expect(await query(database.url, 'select code from short_codes')).toEqual([{ code: 'kept' }])
  })

  test('is final: an older version refuses the database', async () => {
    await migrateDatabase({ connectionString: database.url }, newerFolder)
    const migration = migrateDatabase({ connectionString: database.url })
    await expect(migration).rejects.toThrow(StartupError)
    await expect(migration).rejects.toThrow('upgraded by a newer version of Mayfly')
  })
})

test('the migrations match the schema', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-migrations-'))
  await cp(migrationsFolder, folder, { recursive: true })
  const args = ['generate', '--dialect=postgresql', '--schema=src/server/db/schema.ts']
  // drizzle-kit accepts only a relative path.
  const out = relative(process.cwd(), folder)
  const { stdout } = await promisify(execFile)('drizzle-kit', [...args, `--out=${out}`])
  expect(stdout, 'run: npm run migrations').toContain('No schema changes')
  await rm(folder, { recursive: true })
})

test('the released baseline stays as it is', async () => {
  const [baseline] = readMigrationFiles({ migrationsFolder })
  expect(baseline?.hash, 'add a migration instead: npm run migrations').toBe(
    '79a993c173ddef69df664ff3fcec4602517bbf3959485f7f63978bfb72a9ddb3',
  )
})

test('migrations are dated in their order, because drizzle skips older ones', async () => {
  const text = await readFile(join(migrationsFolder, 'meta/_journal.json'), 'utf8')
  const dates = JSON.parse(text).entries.map(({ when }: { when: number }) => when)
  expect(dates).toEqual(dates.toSorted((a: number, b: number) => a - b))
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { StartupError } from '../errors.ts'
import { migrationsFolder } from '../package-files.ts'
import type { Db } from './transaction.ts'

const migrationLock = 'mayfly: migrations'

/**
 * Timeouts configured for the database or its role must cancel neither a migration nor the wait for
 * another server's migration.
 */
const noTimeouts = `
  set statement_timeout = 0;
  set lock_timeout = 0;
  set idle_in_transaction_session_timeout = 0`

/**
 * Applies all missing migrations in one transaction. Concurrently starting servers wait for each
 * other.
 * @throws {StartupError} if the database has a different baseline, or belongs to a newer version.
 */
export async function migrateDatabase(
  connection: pg.ClientConfig,
  folder = migrationsFolder,
): Promise<void> {
  const client = new pg.Client(connection)
  // An unhandled error event would end the process. The next statement reports the error.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(noTimeouts)
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [migrationLock])
    const db = drizzle(client)
    await requireKnownMigrations(db, folder)
    await migrate(db, { migrationsFolder: folder })
  } finally {
    await client.end()
  }
}

async function requireKnownMigrations(db: NodePgDatabase, folder: string): Promise<void> {
  const { rows } = await db.execute(sql`select to_regclass('drizzle.__drizzle_migrations') as name`)
  if (rows[0]?.name === null) return
  const databaseHashes = await appliedHashes(db)
  const knownHashes = readMigrationFiles({ migrationsFolder: folder }).map(({ hash }) => hash)
  if (databaseHashes.length > 0 && databaseHashes[0] !== knownHashes[0]) {
    throw new StartupError(
      'The tables of the database are those of a version before the first release, and this ' +
        'version cannot update them. Start with an empty database and an empty DATA_DIR, or go on ' +
        'with the version that created them.',
    )
  }
  if (databaseHashes.every((hash) => knownHashes.includes(hash))) return
  throw new StartupError(
    'The database was upgraded by a newer version of Mayfly, and this version cannot use it. Start ' +
      'the newer version, or restore a backup from before the upgrade.',
  )
}

export interface MigrationState {
  /** Number of this version's migrations that the database already has. */
  applied: number
  missing: string[]
  /** Number of migrations in the database that are unknown to this version. */
  unknown: number
}

/** Compares this version's migrations with those applied to the database. */
export async function readMigrations(db: Db): Promise<MigrationState> {
  const knownHashes = readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash)
  const databaseHashes = await appliedHashes(db)
  const names = await migrationNames()
  const missingNames = names.filter(
    (_, index) => !databaseHashes.includes(knownHashes[index] ?? ''),
  )
  return {
    applied: names.length - missingNames.length,
    missing: missingNames,
    unknown: databaseHashes.filter((hash) => !knownHashes.includes(hash)).length,
  }
}

/** Returns the name of this version's newest migration. */
export async function newestMigration(): Promise<string> {
  return (await migrationNames()).at(-1) ?? ''
}

/** Returns the hashes of the applied migrations, oldest first. */
async function appliedHashes(db: Pick<Db, 'execute'>): Promise<string[]> {
  const { rows } = await db.execute<{ hash: string }>(
    sql`select hash from drizzle.__drizzle_migrations order by id`,
  )
  return rows.map(({ hash }) => hash)
}

async function migrationNames(): Promise<string[]> {
  const text = await readFile(join(migrationsFolder, 'meta/_journal.json'), 'utf8')
  return (JSON.parse(text) as { entries: { tag: string }[] }).entries.map(({ tag }) => tag)
}

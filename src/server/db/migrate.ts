import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import type { Db } from './db.ts'

const migrationsUrl = new URL('migrations/', import.meta.url)
const migrationLock = 'mayfly: migrations'

/**
 * A migration may take long, and so may the wait for another server that migrates. Without this, a
 * time-out that is set for the role or the database would cancel them.
 */
const noLimits = `
  set statement_timeout = 0;
  set lock_timeout = 0;
  set idle_in_transaction_session_timeout = 0`

/**
 * Brings the database to the tables of this version. Servers that start together do this one after
 * another. A server that finds the database up to date changes nothing. Either all missing
 * migrations are applied or none.
 */
export async function migrateDatabase(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  // Without this listener, a connection that is cut between two statements would end the process.
  // The next statement reports the cut.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(noLimits)
    // The lock ends with the connection, so it never outlives this process.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [migrationLock])
    await migrate(drizzle(client), {
      migrationsFolder: fileURLToPath(migrationsUrl),
    })
  } finally {
    await client.end()
  }
}

/** Which migrations of this version a database has. */
export interface MigrationState {
  /** How many migrations of this version the database has. */
  applied: number
  /** The names of the migrations that the database lacks. */
  missing: string[]
  /** How many migrations a newer version has applied. This version does not know them. */
  unknown: number
}

/** Compares the migrations of this version with those that were applied to the database. */
export async function readMigrations(db: Db): Promise<MigrationState> {
  const entries = await migrationsOfThisVersion()
  const { rows } = await db.execute<{ when: string }>(
    sql`select created_at::text as "when" from drizzle.__drizzle_migrations`,
  )
  const known = new Set(entries.map(({ when }) => String(when)))
  const applied = new Set(rows.map(({ when }) => when))
  const missing = entries.filter(({ when }) => !applied.has(String(when)))
  return {
    applied: entries.length - missing.length,
    missing: missing.map(({ tag }) => tag),
    unknown: rows.filter(({ when }) => !known.has(when)).length,
  }
}

/** Returns the name of the newest migration of this version. */
export async function newestMigration(): Promise<string> {
  return (await migrationsOfThisVersion()).at(-1)?.tag ?? ''
}

async function migrationsOfThisVersion(): Promise<{ when: number; tag: string }[]> {
  const text = await readFile(new URL('meta/_journal.json', migrationsUrl), 'utf8')
  return (JSON.parse(text) as { entries: { when: number; tag: string }[] }).entries
}

import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'

const migrationLock = 'mayfly: migrations'

/**
 * Brings the database to this version's tables. Servers that start together take turns. A server
 * that finds the database up to date changes nothing. Either all missing migrations are applied or
 * none.
 */
export async function migrateDatabase(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  // If the connection is cut between two statements, this listener keeps the process alive. The
  // next statement reports the cut.
  client.on('error', () => {})
  await client.connect()
  try {
    // The lock ends with the connection, even if this process is killed.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [migrationLock])
    await migrate(drizzle(client), {
      migrationsFolder: fileURLToPath(new URL('migrations', import.meta.url)),
    })
  } finally {
    await client.end()
  }
}

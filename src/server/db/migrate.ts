import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'

const migrationLock = 'mayfly: migrations'

/**
 * Brings the database to this version's tables. Servers that start together take turns; one that
 * has nothing to do changes nothing. All missing migrations are applied, or none.
 */
export async function migrateDatabase(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  // A connection that is cut between two statements would end the process; the next one says so.
  client.on('error', () => {})
  await client.connect()
  try {
    // Ends with the connection, whatever becomes of this process.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [migrationLock])
    await migrate(drizzle(client), {
      migrationsFolder: fileURLToPath(new URL('migrations', import.meta.url)),
    })
  } finally {
    await client.end()
  }
}

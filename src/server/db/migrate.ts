import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'

const migrationLock = 'mayfly: migrations'

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
    // The lock ends with the connection, so it never outlives this process.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [migrationLock])
    await migrate(drizzle(client), {
      migrationsFolder: fileURLToPath(new URL('migrations', import.meta.url)),
    })
  } finally {
    await client.end()
  }
}

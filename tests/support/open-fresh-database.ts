import { openDatabase } from '../../src/server/db/open.ts'
import type { Database } from '../../src/server/db/pool.ts'
import { freshDatabase } from './postgres.ts'

/** A database opened the way a server opens it. `close` also drops it. */
export interface FreshDatabase extends Database {
  url: string
}

/** Opens a new database that has all tables, for tests that don't need a server. */
export async function openFreshDatabase(): Promise<FreshDatabase> {
  const { url, drop } = await freshDatabase()
  const log = { info() {}, warn() {} }
  const database = await openDatabase({ dataDir: '/nowhere', databaseUrl: url }, log)
  return {
    ...database,
    url,
    async close() {
      await database.close()
      await drop()
    },
  }
}

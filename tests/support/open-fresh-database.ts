import { openDatabase } from '../../src/server/db/open.ts'
import type { Database } from '../../src/server/db/pool.ts'
import { freshDatabase } from './postgres.ts'

/** A database of its own, opened as a server opens it. `close` also removes it. */
export interface FreshDatabase extends Database {
  url: string
}

/** Opens a new database with all tables and no rows, for a test of what needs no server. */
export async function openFreshDatabase(): Promise<FreshDatabase> {
  const { url, drop } = await freshDatabase()
  const log = { info() {}, warn() {} }
  const opened = await openDatabase({ dataDir: '/nowhere', databaseUrl: url }, log)
  return {
    ...opened,
    url,
    async close() {
      await opened.close()
      await drop()
    },
  }
}

import pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { StartupError } from '../errors.ts'
import { isTransient } from './db-errors.ts'
import { embeddedConnection, startEmbeddedPostgres } from './embedded-postgres.ts'
import { readMigrations } from './migrate.ts'
import type { PoolLimits } from './pool.ts'
import { connectionNames, type OpenPool, openPool } from './pool.ts'

/**
 * Copying a table may take hours, so statements have no time limit. Only waiting for a connection
 * or for a lock has one.
 */
export const copyLimits: PoolLimits = {
  connections: 3,
  waiting: Number.POSITIVE_INFINITY,
  connectMs: 15_000,
  lockMs: 10_000,
  statementMs: 0,
  idleInTransactionMs: 0,
  answerMs: 0,
}

/**
 * Opens the database of the settings for reading, even while a server uses it. It applies no
 * migrations. It starts the embedded Postgres if that does not run.
 * @throws {StartupError} when the database cannot be used, or is of another version than this
 * program.
 */
export async function openReadOnly(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<OpenPool> {
  const running =
    databaseUrl === null ? embeddedConnection(dataDir) : { connectionString: databaseUrl }
  const fault = await reach(running)
  if (fault === null) return requireThisVersion(openPool(named(running), log, copyLimits))
  if (databaseUrl !== null || !isTransient(fault)) {
    throw new StartupError(`The database cannot be used: ${fault.message}`, { cause: fault })
  }
  const postgres = await startEmbeddedPostgres(dataDir, log)
  const { close, ...opened } = openPool(named({ ...postgres.connection }), log, copyLimits)
  return requireThisVersion({
    ...opened,
    async close() {
      await close()
      await postgres.stop()
    },
  })
}

function named(connection: pg.ClientConfig): pg.ClientConfig {
  return { ...connection, application_name: connectionNames.copy }
}

/** Returns null if the database answers, otherwise the error. */
async function reach(connection: pg.ClientConfig): Promise<Error | null> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: copyLimits.connectMs })
  client.on('error', () => {})
  try {
    await client.connect()
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    await client.end().catch(() => {})
  }
}

async function requireThisVersion(opened: OpenPool): Promise<OpenPool> {
  try {
    const { missing, unknown } = await readMigrations(opened.db)
    if (missing.length === 0 && unknown === 0) return opened
    throw new StartupError(
      'The database belongs to another version of Mayfly than this one. Use the version that runs it.',
    )
  } catch (error) {
    await opened.close()
    throw error
  }
}

/**
 * Makes sure that no server uses the database of this URL.
 * @throws {StartupError} when a server uses the database, or the database cannot be reached.
 */
export async function requireUnused(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: copyLimits.connectMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(
      `select 1 from pg_stat_activity
      where datname = current_database() and application_name = $1 limit 1`,
      [connectionNames.server],
    )
    if (rows.length === 0) return
  } catch (error) {
    throw new StartupError(`The database of DATABASE_URL cannot be used: ${String(error)}`, {
      cause: error,
    })
  } finally {
    await client.end().catch(() => {})
  }
  throw new StartupError(
    'A server uses the database of DATABASE_URL. Stop all servers first: what they write while the rows are copied would be lost.',
  )
}

import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { codeOf, StartupError } from '../errors.ts'
import { isTransient } from './db-errors.ts'
import { embeddedConnection, startEmbeddedPostgres } from './embedded-postgres.ts'
import { migrateDatabase } from './migrate.ts'
import { connectionNames, openPool, type PoolLimits, poolLimits } from './pool.ts'
import type { Db } from './transaction.ts'

export interface Database {
  pool: pg.Pool
  db: Db
  /**
   * True if the queue for a connection is full: `PoolLimits.waiting` queries or more wait in it.
   */
  isOverrun(): boolean
  /**
   * Waits a while for running queries and closes the pool. Stops the embedded Postgres too if
   * `openDatabase` has started it.
   */
  close(): Promise<void>
}

const reachMs = 15_000
const retryMs = 250

/**
 * Opens the database of the settings, either the embedded one or that of DATABASE_URL, and applies
 * all missing migrations. It also starts the embedded Postgres, so only commands that run while no
 * server does may call it.
 * @throws {StartupError} when the database cannot be reached or used.
 */
export async function openDatabase(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  log: Pick<Logger, 'info' | 'warn'>,
  limits: PoolLimits = poolLimits,
): Promise<Database> {
  if (config.databaseUrl !== null) return reachUrl(config.databaseUrl, log, limits)
  const postgres = await startEmbeddedPostgres(config.dataDir, log)
  try {
    const database = await reachDatabase(embedded(config.dataDir), ofEmbedded, log, limits)
    return {
      ...database,
      async close() {
        await database.close()
        await postgres.stop()
      },
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

/**
 * Opens the database for a server. The embedded Postgres must run already:
 * `openDataFolder` starts and stops it.
 * @throws {StartupError} as `openDatabase` does.
 */
export async function joinDatabase(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<Database> {
  if (databaseUrl !== null) return reachUrl(databaseUrl, log, poolLimits)
  return reachDatabase(embedded(dataDir), ofEmbedded, log, poolLimits)
}

function embedded(dataDir: string): pg.ClientConfig {
  return {
    ...embeddedConnection(dataDir),
    ssl: false,
    application_name: connectionNames.server,
  }
}

function reachUrl(
  connectionString: string,
  log: Pick<Logger, 'info' | 'warn'>,
  limits: PoolLimits,
): Promise<Database> {
  const connection = { connectionString, application_name: connectionNames.server }
  return reachDatabase(connection, ofDatabaseUrl, log, limits)
}

/** How the operator knows a database, and what to do when it cannot be used. */
interface Told {
  name: string
  cure: string
}

const ofDatabaseUrl: Told = {
  name: 'the database of DATABASE_URL',
  cure: 'Check that it runs and that host, port, user, password and name are right, or unset DATABASE_URL for the embedded one.',
}
const ofEmbedded: Told = {
  name: 'the embedded Postgres',
  cure: 'The log says what became of it. Restart the server.',
}

async function reachDatabase(
  connection: pg.ClientConfig,
  told: Told,
  log: Pick<Logger, 'info' | 'warn'>,
  limits: PoolLimits,
): Promise<Database> {
  await reach(connection, told, log)
  await migrateDatabase(connection)
  return openPool(connection, log, limits)
}

async function reach(
  connection: pg.ClientConfig,
  { name, cure }: Told,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const deadline = AbortSignal.timeout(reachMs)
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return
    } catch (error) {
      const reason = error instanceof Error ? error.message || codeOf(error) : String(error)
      if (!isTransient(error) || deadline.aborted) {
        throw new StartupError(`${name.replace(/^t/, 'T')} cannot be used: ${reason}. ${cure}`, {
          cause: error,
        })
      }
      if (attempt === 1) log.warn(`Waiting for ${name}: ${reason}`)
      await wait(retryMs)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

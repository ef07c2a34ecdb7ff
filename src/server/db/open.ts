import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { codeOf, StartupError } from '../errors.ts'
import { isTransient } from './db-errors.ts'
import {
  type EmbeddedPostgres,
  embeddedConnection,
  startEmbeddedPostgres,
} from './embedded-postgres.ts'
import { migrateDatabase, readMigrations } from './migrate.ts'
import {
  connectionNames,
  copyLimits,
  type Database,
  openPool,
  type PoolLimits,
  poolLimits,
} from './pool.ts'
import { lockDataDir, requireOwnDataDir } from './postgres-folder.ts'

type DatabaseConfig = Pick<Config, 'dataDir' | 'databaseUrl'>
type Log = Pick<Logger, 'warn'>

const reachTimeoutMs = 15_000
const retryDelayMs = 250
const connectTimeoutMs = 10_000

/**
 * Opens the database for a command that runs while the server is stopped, and applies missing
 * migrations. Starts the embedded Postgres unless DATABASE_URL is set.
 * @throws {StartupError} if the database can't be reached or used.
 */
export async function openDatabase(
  config: DatabaseConfig,
  log: Log,
  limits: PoolLimits = poolLimits,
): Promise<Database> {
  if (config.databaseUrl !== null) return openServerDatabase(config, log, limits)
  const postgres = await lockAndStart(config.dataDir, log)
  try {
    return withPostgres(await openServerDatabase(config, log, limits), postgres)
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

/**
 * Opens the database for a command, even while a server uses it. Applies no migrations. Starts the
 * embedded Postgres if it isn't running.
 * @throws {StartupError} if there is no database, or it can't be used, or it belongs to another
 * user or version.
 */
export async function openDatabaseInUse(config: DatabaseConfig, log: Log): Promise<Database> {
  const connection = connectionOf(config, connectionNames.copy)
  const error = await tryConnecting(connection)
  if (error === null) return requireCurrentVersion(openPool(connection, log, copyLimits))
  if (config.databaseUrl !== null || !isTransient(error)) {
    throw new StartupError(`The database cannot be used: ${reasonOf(error)}`, { cause: error })
  }
  await requireOwnDataDir(config.dataDir)
  if (!existsSync(join(config.dataDir, 'postgres'))) {
    throw new StartupError(
      `There is no data in DATA_DIR ${config.dataDir}. Run this in the server's folder, or set DATA_DIR.`,
    )
  }
  const postgres = await lockAndStart(config.dataDir, log)
  return requireCurrentVersion(withPostgres(openPool(connection, log, copyLimits), postgres))
}

/**
 * Checks that no server uses the database at this URL.
 * @throws {StartupError} if a server uses it, or it can't be reached.
 */
export async function requireNoServer(url: string): Promise<void> {
  const client = newClient({ connectionString: url })
  try {
    await client.connect()
    const { rows } = await client.query(
      `select 1 from pg_stat_activity
      where datname = current_database() and application_name = $1 limit 1`,
      [connectionNames.server],
    )
    if (rows.length === 0) return
  } catch (error) {
    throw new StartupError(`The database of DATABASE_URL cannot be used: ${reasonOf(error)}`, {
      cause: error,
    })
  } finally {
    await client.end().catch(() => {})
  }
  throw new StartupError(
    'A server uses the database of DATABASE_URL. Stop all servers first: what they write while the rows are copied would be lost.',
  )
}

function connectionOf({ dataDir, databaseUrl }: DatabaseConfig, name: string): pg.ClientConfig {
  return databaseUrl === null
    ? { ...embeddedConnection(dataDir), ssl: false, application_name: name }
    : { connectionString: databaseUrl, application_name: name }
}

/**
 * Opens the database for a server and applies missing migrations. The embedded Postgres must
 * already be running (`openDataFolder`).
 * @throws {StartupError} if the database can't be reached or used.
 */
export async function openServerDatabase(
  config: DatabaseConfig,
  log: Log,
  limits: PoolLimits = poolLimits,
): Promise<Database> {
  const connection = connectionOf(config, connectionNames.server)
  await waitUntilReachable(connection, config, log)
  await migrateDatabase(connection)
  return openPool(connection, log, limits)
}

async function waitUntilReachable(
  connection: pg.ClientConfig,
  { databaseUrl }: DatabaseConfig,
  log: Log,
): Promise<void> {
  const name = databaseUrl === null ? 'embedded Postgres' : 'database of DATABASE_URL'
  const remedy =
    databaseUrl === null
      ? 'See the log for the cause, and restart the server.'
      : 'Check that it runs and that host, port, user, password and name are right, or unset DATABASE_URL for the embedded one.'
  const deadline = AbortSignal.timeout(reachTimeoutMs)
  for (let attempt = 1; ; attempt += 1) {
    const error = await tryConnecting(connection)
    if (error === null) return
    const reason = reasonOf(error)
    if (!isTransient(error) || deadline.aborted) {
      throw new StartupError(`The ${name} cannot be used: ${reason}. ${remedy}`, { cause: error })
    }
    if (attempt === 1) log.warn(`Waiting for the ${name}: ${reason}`)
    await wait(retryDelayMs)
  }
}

/** Returns null if the database accepts connections, otherwise the error. */
async function tryConnecting(connection: pg.ClientConfig): Promise<unknown> {
  const client = newClient(connection)
  try {
    await client.connect()
    return null
  } catch (error) {
    return error
  } finally {
    await client.end().catch(() => {})
  }
}

function newClient(connection: pg.ClientConfig): pg.Client {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: connectTimeoutMs })
  // Without a listener, an error event would end the process.
  client.on('error', () => {})
  return client
}

function reasonOf(error: unknown): string {
  // If a host has several addresses and all fail, Node's error has no message.
  return error instanceof Error ? error.message || String(codeOf(error)) : String(error)
}

async function lockAndStart(dataDir: string, log: Log): Promise<Pick<EmbeddedPostgres, 'stop'>> {
  const unlock = lockDataDir(dataDir)
  try {
    const postgres = await startEmbeddedPostgres(dataDir, log)
    return {
      async stop() {
        await postgres.stop()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

function withPostgres(database: Database, postgres: Pick<EmbeddedPostgres, 'stop'>): Database {
  return {
    ...database,
    async close() {
      await database.close()
      await postgres.stop()
    },
  }
}

async function requireCurrentVersion(database: Database): Promise<Database> {
  try {
    const { missing, unknown } = await readMigrations(database.db)
    if (missing.length === 0 && unknown === 0) return database
    throw new StartupError(
      'The database was migrated by another version of Mayfly. Run this command with that version.',
    )
  } catch (error) {
    await database.close()
    throw error
  }
}

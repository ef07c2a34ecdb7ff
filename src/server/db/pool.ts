import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { type Db, makeDb } from './transaction.ts'

const closeTimeoutMs = 5_000

export interface Database {
  pool: pg.Pool
  db: Db
  /** Closes the pool after briefly waiting for running queries. */
  close(): Promise<void>
}

/** Creates a pool without connecting. */
export function openPool(
  connection: pg.ClientConfig,
  log: Pick<Logger, 'warn'>,
  limits: PoolLimits,
): Database {
  const pool = new pg.Pool({
    ...connection,
    max: limits.connections,
    connectionTimeoutMillis: limits.connectMs,
    query_timeout: limits.clientTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    onConnect: (client) => setLimits(client, limits),
  })
  let isClosing = false
  // Log only the message, because the error object contains the client's entire state.
  pool.on('error', (error) => {
    if (!isClosing) log.warn({ reason: error.message }, 'A database connection was lost')
  })
  // The pool handles errors only on idle connections. On a busy one, an unhandled error event would
  // end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    pool,
    db: makeDb(pool),
    async close() {
      isClosing = true
      await Promise.race([pool.end(), wait(closeTimeoutMs, undefined, { ref: false })])
    },
  }
}

/** Sets the timeouts with a statement, because PgBouncer rejects startup parameters. */
async function setLimits(client: pg.ClientBase, limits: PoolLimits): Promise<void> {
  const settings = {
    lock_timeout: limits.lockMs,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  }
  const statements = Object.entries(settings).map(([name, ms]) => `set ${name} = ${ms}`)
  const query = { text: statements.join('; '), query_timeout: limits.connectMs }
  await client.query(query)
}

/**
 * Pool size and timeouts. Postgres enforces all timeouts except `connectMs` and `clientTimeoutMs`.
 */
export interface PoolLimits {
  connections: number
  /** Maximum number of queued queries before requests are shed (`makeLoadShedder`). */
  maxWaiting: number
  /** Time limit for getting a connection, pooled or new. */
  connectMs: number
  /** Time limit for acquiring a lock. */
  lockMs: number
  /** Time limit per statement, including waits for locks. */
  statementMs: number
  /** Time limit for an open transaction that is idle between statements. */
  idleInTransactionMs: number
  /**
   * How long the driver waits for a response before it closes the connection. Longer than
   * `statementMs`, so that Postgres usually cancels the statement first.
   */
  clientTimeoutMs: number
}

export const poolLimits: PoolLimits = {
  connections: 10,
  // 512 downloads and 256 uploads (`transferLimits`) may start at once with one query each. Ten
  // connections serve 1,000 such queries within a second, even on two busy cores.
  maxWaiting: 1000,
  connectMs: 5_000,
  lockMs: 10_000,
  statementMs: 25_000,
  idleInTransactionMs: 25_000,
  clientTimeoutMs: 30_000,
}

/** Copying a table may take hours, so statements have no time limit. */
export const copyLimits: PoolLimits = {
  connections: 3,
  maxWaiting: Number.POSITIVE_INFINITY,
  connectMs: 15_000,
  lockMs: 10_000,
  statementMs: 0,
  idleInTransactionMs: 0,
  clientTimeoutMs: 0,
}

/** The `application_name` of connections, which identifies servers in `pg_stat_activity`. */
export const connectionNames = {
  /** Used by a server's pool and for its migrations at startup. */
  server: 'mayfly',
  /** Used by a command that copies rows. */
  copy: 'mayfly copy',
} as const

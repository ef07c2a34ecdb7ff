import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { type Db, makeDb } from './transaction.ts'

const closeMs = 5_000

export interface Database {
  pool: pg.Pool
  db: Db
  /** Waits a while for running queries and closes the pool. */
  close(): Promise<void>
}

/** Opens a pool with these limits. It makes no connection yet. */
export function openPool(
  connection: pg.ClientConfig,
  log: Pick<Logger, 'warn'>,
  limits: PoolLimits,
): Database {
  const pool = new pg.Pool({
    ...connection,
    max: limits.connections,
    connectionTimeoutMillis: limits.connectMs,
    query_timeout: limits.answerMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // Each new connection gets its limits before the pool hands it out.
    onConnect: (client) => setLimits(client, limits),
  })
  let closing = false
  // Only the message is logged. The error object also carries the client and all its state.
  pool.on('error', (error) => {
    if (!closing) log.warn({ reason: error.message }, 'A database connection was lost')
  })
  // The pool listens only to idle connections. Without this listener, an error of a connection in
  // use would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    pool,
    db: makeDb(pool),
    async close() {
      closing = true
      await Promise.race([pool.end(), wait(closeMs, undefined, { ref: false })])
    },
  }
}

/**
 * Sets Postgres's limits on a connection, by a statement. Parameters at the start of the connection
 * would save one round trip, but poolers such as PgBouncer refuse them.
 */
async function setLimits(client: pg.ClientBase, limits: PoolLimits): Promise<void> {
  const settings = {
    lock_timeout: limits.lockMs,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  }
  const sets = Object.entries(settings).map(([name, ms]) => `set ${name} = ${ms}`)
  // Callers that wait for a connection wait for this answer too, so it has the same limit.
  const question = { text: sets.join('; '), query_timeout: limits.connectMs }
  await client.query(question)
}

/**
 * How long each kind of wait may last. Postgres itself applies `lockMs` and `statementMs`: it
 * cancels the statement and says why. After `idleInTransactionMs` Postgres closes the connection.
 * `answerMs` is for a Postgres or a network that stays silent. Then nobody knows whether the
 * statement ran, and the connection is closed.
 */
export interface PoolLimits {
  connections: number
  /**
   * The number of queries waiting for a connection at which the server refuses new requests
   * (`makeLoadShedder`).
   */
  waiting: number
  /** How long to wait for a connection, a new one or one from the pool. */
  connectMs: number
  /** How long to wait for a lock that another transaction holds. */
  lockMs: number
  /** How long one statement may take, including its waits for locks. */
  statementMs: number
  /** How long an open transaction may wait for its next statement. */
  idleInTransactionMs: number
  /**
   * How long the driver waits for the answer to a statement. It is longer than `statementMs`, so
   * that Postgres usually cancels the statement first.
   */
  answerMs: number
}

export const poolLimits: PoolLimits = {
  connections: 10,
  // At most 512 downloads and 256 uploads run (`transferLimits`). All of them may begin in the same
  // moment with one query each, and none is refused. Ten connections answer 1,000 such queries
  // within a second, even on two busy cores.
  waiting: 1000,
  connectMs: 5_000,
  lockMs: 10_000,
  statementMs: 25_000,
  idleInTransactionMs: 25_000,
  answerMs: 30_000,
}

/** Copying a table may take hours, so statements have no time limit. */
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
 * The `application_name` of each kind of connection to the database. Postgres shows it in
 * `pg_stat_activity`, so that servers can be counted and told from other programs.
 */
export const connectionNames = {
  /** The pool of a server, and its migrations at the start. */
  server: 'mayfly',
  /** A command that copies rows. */
  copy: 'mayfly copy',
} as const

import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { type Db, makeDb } from './transaction.ts'

const closeMs = 5_000

export interface Database {
  pool: pg.Pool
  db: Db
  /** Closes the pool after a short wait for running queries. */
  close(): Promise<void>
}

/** Opens a pool, without connecting yet. */
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
    onConnect: (client) => setLimits(client, limits),
  })
  let closing = false
  // The error object carries the client and all its state, so only the message is logged.
  pool.on('error', (error) => {
    if (!closing) log.warn({ reason: error.message }, 'A database connection was lost')
  })
  // The pool listens to idle connections only; an unhandled error event would end the process.
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

/** Sets Postgres's limits by a statement: PgBouncer refuses startup parameters. */
async function setLimits(client: pg.ClientBase, limits: PoolLimits): Promise<void> {
  const settings = {
    lock_timeout: limits.lockMs,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  }
  const sets = Object.entries(settings).map(([name, ms]) => `set ${name} = ${ms}`)
  const query = { text: sets.join('; '), query_timeout: limits.connectMs }
  await client.query(query)
}

/**
 * The size of a pool and its timeouts. Postgres itself enforces all but `connectMs` and `answerMs`.
 */
export interface PoolLimits {
  connections: number
  /** How many queries may wait for a connection before requests are shed (`makeLoadShedder`). */
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
   * How long the driver waits for an answer before it closes the connection: longer than
   * `statementMs`, so that Postgres usually cancels the statement first.
   */
  answerMs: number
}

export const poolLimits: PoolLimits = {
  connections: 10,
  // 512 downloads and 256 uploads (`transferLimits`) may begin at once with one query each. Ten
  // connections answer 1,000 such queries within a second, even on two busy cores.
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

/** The `application_name` of connections, by which `pg_stat_activity` shows what is a server. */
export const connectionNames = {
  /** The pool of a server, and its migrations at the start. */
  server: 'mayfly',
  /** A command that copies rows. */
  copy: 'mayfly copy',
} as const

import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Db } from './db.ts'
import { makeDb } from './transaction.ts'

/**
 * How long each kind of wait may last. Postgres gives up first, with a reason, and the connection
 * stays usable. `answerMs` is the limit for a Postgres or a network that is silent: then the fate
 * of the statement is unknown, and the connection is ended.
 */
export interface PoolLimits {
  connections: number
  /** How long to wait for a connection, a new one or one from the pool. */
  connectMs: number
  /** How long to wait for a lock that another transaction holds. */
  lockMs: number
  /** How long one statement may take, including its waits for locks. */
  statementMs: number
  /** How long an open transaction may wait for its next statement. */
  idleInTransactionMs: number
  /**
   * How long to wait for the answer to a statement. It is longer than the limits of Postgres
   * itself.
   */
  answerMs: number
}

export const poolLimits: PoolLimits = {
  connections: 10,
  connectMs: 5_000,
  lockMs: 10_000,
  statementMs: 25_000,
  idleInTransactionMs: 25_000,
  answerMs: 30_000,
}

const closeMs = 5_000

export interface OpenPool {
  pool: pg.Pool
  db: Db
  /** Waits a while for running queries and closes the pool. */
  close(): Promise<void>
}

/** Opens a pool of connections with these limits, and the tables on it. It does not connect yet. */
export function openPool(
  connection: pg.ClientConfig,
  log: Pick<Logger, 'warn'>,
  limits: PoolLimits,
): OpenPool {
  const pool = new pg.Pool({
    ...connection,
    max: limits.connections,
    connectionTimeoutMillis: limits.connectMs,
    query_timeout: limits.answerMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // The pool awaits this before it hands the connection out.
    onConnect: (client) => tellLimits(client, limits),
  })
  let closing = false
  // Log only the message: the error object also carries the client and all its state.
  pool.on('error', (error) => {
    if (!closing) log.warn({ reason: error.message }, 'A database connection was lost')
  })
  // The pool listens only to idle clients. Without this listener an error of a busy one would end
  // the process.
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
 * Tells Postgres how long it may take, by a statement. Parameters at the start of the connection
 * would save one round trip, but poolers such as PgBouncer refuse them.
 */
async function tellLimits(client: pg.ClientBase, limits: PoolLimits): Promise<void> {
  const settings = {
    lock_timeout: limits.lockMs,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  }
  const sets = Object.entries(settings).map(([name, ms]) => `set ${name} = ${ms}`)
  // Callers that wait for the connection wait for this answer too.
  const question = { text: sets.join('; '), query_timeout: limits.connectMs }
  await client.query(question)
}

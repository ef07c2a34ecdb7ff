import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Db } from './db.ts'
import { makeDb } from './transaction.ts'

/**
 * How long who waits for what. Postgres gives up first, in order and with a reason, and the
 * connection stays good. `answerMs` is for a Postgres, or a network, that says nothing at all: then
 * nobody knows what became of the statement, and the connection is ended.
 */
export interface PoolLimits {
  connections: number
  /** For a connection, a new one or one that others have. */
  connectMs: number
  /** For a lock that somebody else holds. */
  lockMs: number
  /** For one statement, its locks included. */
  statementMs: number
  /** For the next statement of an open transaction. */
  idleInTransactionMs: number
  /** For the answer to one statement. More than what Postgres itself is given. */
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
  /** Waits (for a while) for running queries and closes the pool. */
  close(): Promise<void>
}

/** A pool of connections with these limits, and the tables on it. Nothing is connected yet. */
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
    // Awaited before the connection is given to anybody.
    onConnect: (client) => tellLimits(client, limits),
  })
  let closing = false
  // Not the error as a whole: it carries the client and everything that hangs on it.
  pool.on('error', (error) => {
    if (!closing) log.warn({ reason: error.message }, 'A database connection was lost')
  })
  // The pool listens only to idle clients; a busy one that is cut would end the process.
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
 * Tells Postgres how long it may take. By a statement: as parameters of the connection's start, which
 * save one trip, poolers such as PgBouncer refuse them.
 */
async function tellLimits(client: pg.ClientBase, limits: PoolLimits): Promise<void> {
  const settings = {
    lock_timeout: limits.lockMs,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  }
  const sets = Object.entries(settings).map(([name, ms]) => `set ${name} = ${ms}`)
  // Whoever waits for this connection waits for the answer too.
  const question = { text: sets.join('; '), query_timeout: limits.connectMs }
  await client.query(question)
}

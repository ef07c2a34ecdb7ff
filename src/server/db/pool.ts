import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Db } from './db.ts'
import type { PoolLimits } from './pool-limits.ts'
import { makeDb } from './transaction.ts'

const closeMs = 5_000

export interface OpenPool {
  pool: pg.Pool
  db: Db
  /**
   * True if the queue for a connection is full: `PoolLimits.waiting` queries or more wait in it.
   */
  isOverrun(): boolean
  /** Waits a while for running queries and closes the pool. */
  close(): Promise<void>
}

/** Opens a pool with these limits. It makes no connection yet. */
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
    // Each new connection gets its limits before the pool hands it out.
    onConnect: (client) => tellLimits(client, limits),
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
    isOverrun: () => pool.waitingCount >= limits.waiting,
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
async function tellLimits(client: pg.ClientBase, limits: PoolLimits): Promise<void> {
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

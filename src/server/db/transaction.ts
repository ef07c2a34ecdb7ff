import {
  drizzle,
  type NodePgDatabase,
  NodePgSession,
  NodePgTransaction,
} from 'drizzle-orm/node-postgres'
import { PgDialect } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { isConnectionLost } from './db-errors.ts'

/** Drizzle's database object: either the pool or an open transaction. */
export type Db = NodePgDatabase

/**
 * Creates a drizzle database that uses this pool. Replaces drizzle's own `transaction`, which leaks
 * a connection if `begin` fails and returns broken connections to the pool.
 */
export function makeDb(pool: pg.Pool): Db {
  const dialect = new PgDialect()
  const transaction: Db['transaction'] = (work) =>
    inTransaction(pool, (client) => {
      const session = new NodePgSession(client, dialect, undefined)
      return work(new NodePgTransaction(dialect, session, undefined))
    })
  return Object.assign(drizzle(pool), { transaction })
}

/**
 * Runs `work` in a transaction. If this rejects, nothing was committed, unless the response to the
 * commit was lost. The connection returns to the pool only if no transaction is open. Otherwise it
 * is closed.
 * @throws errors from `work` and from the database.
 */
async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isClean = false
  try {
    await client.query('begin')
    const result = await work(client)
    const { command } = await client.query('commit')
    isClean = isIdle(client)
    // If `work` ignored a failed statement, Postgres rolls back at the commit without an error.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back at its commit.')
    return result
  } catch (error) {
    // If the connection is lost, a rollback would get no response either.
    if (!isClean && !isConnectionLost(error)) isClean = await rollBack(client)
    throw error
  } finally {
    client.release(!isClean)
  }
}

/** Returns true if the connection can be reused. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback')
    return isIdle(client)
  } catch {
    // Ignore this error: the caller reports the original one.
    return false
  }
}

/** True if no transaction is open, as of Postgres's last response. */
function isIdle(client: pg.PoolClient): boolean {
  return client.getTransactionStatus() === 'I'
}

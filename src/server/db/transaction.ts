import {
  createTableRelationsHelpers,
  type ExtractTablesWithRelations,
  extractTablesRelationalConfig,
  type RelationalSchemaConfig,
  sql,
} from 'drizzle-orm'
import { NodePgDatabase, NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres'
import { PgDialect, type PgTransactionConfig } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { isConnectionLost } from './db-errors.ts'
import * as schema from './schema.ts'

type Tables = typeof schema
type Relations = ExtractTablesWithRelations<Tables>

/**
 * Returns drizzle's database on this pool, with `inTransaction` in place of drizzle's own
 * `transaction`.
 */
export function makeDb(pool: pg.Pool): Db {
  const dialect = new PgDialect()
  const { tables, tableNamesMap } = extractTablesRelationalConfig<Relations>(
    schema,
    createTableRelationsHelpers,
  )
  const relations = { fullSchema: schema, schema: tables, tableNamesMap }
  return new NodePgDatabase(dialect, new PoolSession(pool, dialect, relations), relations)
}

/**
 * Does work in a transaction on one connection of the pool. When this resolves, the work is
 * committed. When it rejects, nothing of the work remains, unless the answer to the commit was
 * lost. The connection returns to the pool only after Postgres has said that no transaction is
 * open. Otherwise the connection is closed, and Postgres rolls back by itself.
 * @throws the work's own errors, the driver's errors when the database cannot be used, and an error
 * when Postgres answers the commit with a rollback.
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
    isClean = isOutside(client)
    // If an earlier statement failed and the work ignored that, Postgres answers a commit with a
    // rollback and no error.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back at its commit.')
    return result
  } catch (error) {
    // If a statement got no answer, a rollback would wait just as long and get none either. So it
    // is not sent.
    if (!isClean && !isConnectionLost(error)) isClean = await rollBack(client)
    throw error
  } finally {
    client.release(!isClean)
  }
}

/** Rolls back. Returns whether the connection can be used again. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback')
    return isOutside(client)
  } catch {
    // The first error tells the reason. This second one only says that the connection is lost too.
    return false
  }
}

/** Tells whether Postgres said in its last answer that no transaction is open. */
function isOutside(client: pg.PoolClient): boolean {
  return client.getTransactionStatus() === 'I'
}

/**
 * Replaces drizzle's own `transaction`, which has two faults. A `begin` that fails takes a
 * connection from the pool forever. And a connection returns to the pool even when it cannot be
 * used.
 */
class PoolSession extends NodePgSession<Tables, Relations> {
  readonly #pool: pg.Pool
  readonly #dialect: PgDialect
  readonly #relations: RelationalSchemaConfig<Relations>

  constructor(pool: pg.Pool, dialect: PgDialect, relations: RelationalSchemaConfig<Relations>) {
    super(pool, dialect, relations)
    this.#pool = pool
    this.#dialect = dialect
    this.#relations = relations
  }

  override transaction<T>(
    work: (tx: NodePgTransaction<Tables, Relations>) => Promise<T>,
    config?: PgTransactionConfig,
  ): Promise<T> {
    return inTransaction(this.#pool, async (client) => {
      const session = new NodePgSession(client, this.#dialect, this.#relations)
      const tx = new NodePgTransaction<Tables, Relations>(this.#dialect, session, this.#relations)
      if (config) await tx.setTransaction(config)
      return work(tx)
    })
  }
}

/** Drizzle's database with our tables. It is either the pool or an open transaction. */
export type Db = NodePgDatabase<typeof schema>

/**
 * Makes Postgres prefer indexes for the rest of a transaction. Otherwise it reads the whole table
 * for a user who owns most of the files. That is slower, because the index is usually in memory,
 * and Postgres does not know that.
 */
export async function avoidTableScans(tx: Db): Promise<void> {
  await tx.execute(sql`set local enable_seqscan = off`)
}

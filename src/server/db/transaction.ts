import {
  createTableRelationsHelpers,
  type ExtractTablesWithRelations,
  extractTablesRelationalConfig,
  type RelationalSchemaConfig,
} from 'drizzle-orm'
import { NodePgDatabase, NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres'
import { PgDialect, type PgTransactionConfig } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { isConnectionLost } from './db-errors.ts'
import * as schema from './schema.ts'

type Tables = typeof schema
type Relations = ExtractTablesWithRelations<Tables>

/** Returns drizzle's database on a pool, with our own `transaction`. */
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
 * Runs `work` in a transaction. If this rejects, nothing was committed, unless the answer to the
 * commit was lost. The connection returns to the pool only if Postgres says that no transaction is
 * open, and is closed otherwise.
 * @throws the work's own errors, and those of the database.
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
    // If the work ignored a failed statement, Postgres rolls back at the commit without an error.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back at its commit.')
    return result
  } catch (error) {
    // Where a statement got no answer, a rollback would get none either.
    if (!isClean && !isConnectionLost(error)) isClean = await rollBack(client)
    throw error
  } finally {
    client.release(!isClean)
  }
}

/** Returns whether the connection can be used again. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback')
    return isIdle(client)
  } catch {
    // The first error has the cause.
    return false
  }
}

/** Whether no transaction is open, by Postgres's last answer. */
function isIdle(client: pg.PoolClient): boolean {
  return client.getTransactionStatus() === 'I'
}

/**
 * Replaces drizzle's own `transaction`, which leaks a connection if `begin` fails, and returns
 * broken connections to the pool.
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

/** Drizzle's database with our tables: the pool, or an open transaction. */
export type Db = NodePgDatabase<typeof schema>

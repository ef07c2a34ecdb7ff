import type { Mayfly, Sql } from './mayfly.ts'

/** SQL statements with their parameters. The order doesn't matter. */
export type Statements = [text: string, values?: unknown[]][]

/** Number of database connections that insert in parallel. */
const sessionCount = 2

/**
 * Inserts millions of rows quickly, bypassing triggers and foreign keys. Then rebuilds indexes and
 * statistics.
 * @param tables all tables that receive rows, largest first.
 */
export async function fillInBulk(
  mayfly: Mayfly,
  tables: readonly string[],
  inserts: Statements,
): Promise<void> {
  // Building an index in one go is faster than adding rows one by one, so indexes are disabled
  // until `reindex`.
  await mayfly.sql(
    `update pg_index set indisready = false, indisvalid = false
      where indrelid = any($1::regclass[])`,
    [tables],
  )
  await runAll(mayfly, inserts)
  await runAll(
    mayfly,
    tables.map((table) => [`reindex table ${table}`]),
  )
  await mayfly.sql('vacuum (analyze)')
  await mayfly.sql('checkpoint')
}

async function runAll(mayfly: Mayfly, statements: Statements): Promise<void> {
  const remainingStatements = statements.values()
  const runRemaining = async (sql: Sql) => {
    await sql('set session_replication_role = replica')
    await sql("set maintenance_work_mem = '512MB'")
    for (const [text, values] of remainingStatements) await sql(text, values)
  }
  await Promise.all(Array.from({ length: sessionCount }, () => mayfly.inSession(runRemaining)))
}

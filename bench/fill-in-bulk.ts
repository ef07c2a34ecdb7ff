import type { Mayfly, Sql } from './mayfly.ts'

/** Statements that may run in any order, each with its values. */
export type Statements = [text: string, values?: unknown[]][]

/** How many connections run statements in parallel. */
const sessions = 2

/**
 * Inserts millions of rows fast. Then makes the indexes of the tables anew, and updates the
 * statistics of Postgres.
 *
 * No trigger runs for the rows. So nothing checks whether the rows refer to one another correctly.
 * @param tables all tables that get rows, the largest first.
 */
export async function fillInBulk(
  mayfly: Mayfly,
  tables: readonly string[],
  inserts: Statements,
): Promise<void> {
  // Postgres makes an index faster in one go than row by row. So the indexes do not get the new
  // rows, and no query uses them, until `reindex` makes them anew.
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
  const left = statements.values()
  const runLeft = async (sql: Sql) => {
    await sql('set session_replication_role = replica')
    await sql("set maintenance_work_mem = '512MB'")
    for (const [text, values] of left) await sql(text, values)
  }
  await Promise.all(Array.from({ length: sessions }, () => mayfly.inSession(runLeft)))
}

import { rowsReadOf } from '../tests/support/query-plans.ts'
import type { Mayfly } from './mayfly.ts'
import { logOf } from './postgres-log.ts'

/** A table with this many rows or more is large. */
const largeRows = 10_000
/** No request needs more rows of one table. Searches for users look at the newest 10,000. */
const mostRows = 20_000
const statementLetters = 300

/**
 * The statements that may read a whole large table or much of it, by how they begin. Every other
 * statement that does so is a fault.
 */
const mayReadAll: readonly { table: string; begins: string }[] = [
  // The figures of the Admin Center. They are kept for a multiple of their cost (decision 049).
  { table: 'users', begins: 'select count(*), count(*) filter (where case when "users"."tier"' },
  {
    table: 'files',
    begins:
      'select count(*), coalesce(sum("download_count"), 0) from "files" where "files"."deleted_at"',
  },
  // A start of an upload sums all open uploads, which are few, at most once in ten seconds. The
  // plan follows the statement, so one that sums those of an owner does not begin like this.
  {
    table: 'uploads',
    begins: 'select coalesce(sum(greatest("size", 8388608)), 0) from "uploads" Aggregate',
  },
  // `remove-lapsed-rows`, every ten minutes. With an index on their end, each use of a session that
  // is noted would be a write to all its indexes.
  {
    table: 'sessions',
    begins: 'delete from "sessions" where "sessions"."id" in (select "id" from',
  },
  // `tell-ending-links`, every ten minutes. It asks for all who want this email.
  { table: 'preferences', begins: 'select "preferences"."user_id" from "preferences" inner join' },
]

/**
 * Makes Postgres write the plan of each statement to its log, with the numbers of rows that were
 * read. It begins when the server is started again.
 */
export function logPlansFromNextStart(mayfly: Mayfly): Promise<void> {
  return mayfly.inSession(async (sql) => {
    await sql("alter system set session_preload_libraries = 'auto_explain'")
    // Postgres knows the settings of this library only where it is loaded.
    await sql("load 'auto_explain'")
    await sql('alter system set auto_explain.log_min_duration = 0')
    await sql('alter system set auto_explain.log_analyze = on')
    // The statements of triggers, foreign keys and functions have plans of their own.
    await sql('alter system set auto_explain.log_nested_statements = on')
  })
}

/** Returns the names of our tables that have many rows, by the statistics of Postgres. */
export async function findLargeTables(mayfly: Mayfly): Promise<string[]> {
  const large = await mayfly.sql<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples >= $1`,
    [largeRows],
  )
  return large.map(({ name }) => name)
}

/** What one request has read in the database. */
interface Reads {
  /**
   * How many rows of large tables and entries of their indexes it has read. A search in an index
   * that found nothing counts as one entry.
   */
  rows: number
  /** One sentence for each statement that has read a large table, or much of it, and may not. */
  faults: string[]
}

/**
 * Does `work`, and looks at the plans of all statements that ran meanwhile. Those of background
 * jobs are among them.
 */
export async function readsOf(
  mayfly: Mayfly,
  largeTables: readonly string[],
  work: () => Promise<unknown>,
): Promise<Reads> {
  const { log } = await logOf(mayfly, work)
  const reads: Reads = { rows: 0, faults: [] }
  for (const plan of plansIn(log)) {
    for (const table of largeTables) {
      const rows = rowsReadOf(plan, table)
      reads.rows += rows
      const isScan = new RegExp(`Seq Scan on ${table}\\b.*\\(actual `).test(plan)
      const statement = statementOf(plan)
      if ((!isScan && rows <= mostRows) || isAllowed(statement, table)) continue
      const how = isScan ? 'sequentially' : 'by an index'
      reads.faults.push(`reads ${rows} rows of ${table} ${how}: ${statement}`)
    }
  }
  return reads
}

function isAllowed(statement: string, ofTable: string): boolean {
  return mayReadAll.some(({ table, begins }) => table === ofTable && statement.startsWith(begins))
}

function plansIn(log: string): string[] {
  return [...log.matchAll(/LOG: {2}duration: \S+ ms {2}plan:\n((?:\t.*\n?)*)/g)].map(
    ([, plan = '']) => plan,
  )
}

function statementOf(plan: string): string {
  const text = plan.replace(/^\s*Query Text:/, '').replaceAll(/\s+/g, ' ')
  return text.trim().slice(0, statementLetters)
}

import { countRowsRead } from '../tests/support/query-plans.ts'
import type { Mayfly } from './mayfly.ts'
import { captureLog } from './postgres-log.ts'

/** Tables with at least this many rows count as large. */
const minLargeRowCount = 10_000
/**
 * Maximum number of rows that a request may read from a large table. User searches scan the newest
 * 10,000.
 */
const maxRowsRead = 20_000
const maxStatementLength = 300

/** Statements that are allowed to read much of a large table, identified by how they begin. */
const allowedScans: readonly { table: string; prefix: string }[] = [
  // Computes the Admin Center's figures, which are cached for a minute.
  { table: 'users', prefix: 'select count(*), count(*) filter (where case when "users"."tier"' },
  {
    table: 'files',
    prefix:
      'select count(*), coalesce(sum("download_count"), 0) from "files" where "files"."deleted_at"',
  },
  // Sums the sizes of all open uploads, of which there are few. This runs when an upload starts, at
  // most every ten seconds. Statements that sum one owner's uploads have a different prefix.
  {
    table: 'uploads',
    prefix: 'select coalesce(sum(greatest("size", 8388608)), 0) from "uploads" Aggregate',
  },
  // Used by the job `remove-lapsed-rows` every ten minutes. If the expiry were indexed, each
  // session renewal would have to update all of the table's indexes.
  {
    table: 'sessions',
    prefix: 'delete from "sessions" where "sessions"."id" in (select "id" from',
  },
  // Used by the job `tell-ending-links` every ten minutes to select all users who want emails about
  // expiring links.
  { table: 'preferences', prefix: 'select "preferences"."user_id" from "preferences" inner join' },
]

/** Makes Postgres log every query plan with actual row counts, beginning at its next start. */
export function logPlansFromNextStart(mayfly: Mayfly): Promise<void> {
  return mayfly.inSession(async (sql) => {
    await sql("alter system set session_preload_libraries = 'auto_explain'")
    // The settings of auto_explain exist only after it is loaded.
    await sql("load 'auto_explain'")
    await sql('alter system set auto_explain.log_min_duration = 0')
    await sql('alter system set auto_explain.log_analyze = on')
    // Also log the statements of triggers, foreign keys and functions.
    await sql('alter system set auto_explain.log_nested_statements = on')
  })
}

/** Returns the names of Mayfly's large tables, according to Postgres statistics. */
export async function findLargeTables(mayfly: Mayfly): Promise<string[]> {
  const rows = await mayfly.sql<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples >= $1`,
    [minLargeRowCount],
  )
  return rows.map(({ name }) => name)
}

interface Reads {
  /**
   * Number of rows and index entries read from large tables. An index search that finds nothing
   * counts as one.
   */
  rows: number
  /** One sentence per statement that read too much of a large table. */
  problems: string[]
}

/**
 * Runs `work` and checks the plans of all statements executed while it runs, including those from
 * background jobs.
 */
export async function measureReads(
  mayfly: Mayfly,
  largeTables: readonly string[],
  work: () => Promise<unknown>,
): Promise<Reads> {
  const { log } = await captureLog(mayfly, work)
  const reads: Reads = { rows: 0, problems: [] }
  for (const plan of extractPlans(log)) {
    for (const table of largeTables) {
      const rowCount = countRowsRead(plan, table)
      reads.rows += rowCount
      const isScan = new RegExp(`Seq Scan on ${table}\\b.*\\(actual `).test(plan)
      const statement = readStatement(plan)
      if ((!isScan && rowCount <= maxRowsRead) || isAllowed(statement, table)) continue
      const accessMethod = isScan ? 'sequentially' : 'by an index'
      reads.problems.push(`reads ${rowCount} rows of ${table} ${accessMethod}: ${statement}`)
    }
  }
  return reads
}

function isAllowed(statement: string, tableName: string): boolean {
  return allowedScans.some(
    ({ table, prefix }) => table === tableName && statement.startsWith(prefix),
  )
}

function extractPlans(log: string): string[] {
  return [...log.matchAll(/LOG: {2}duration: \S+ ms {2}plan:\n((?:\t.*\n?)*)/g)].map(
    ([, plan = '']) => plan,
  )
}

function readStatement(plan: string): string {
  const text = plan.replace(/^\s*Query Text:/, '').replaceAll(/\s+/g, ' ')
  return text.trim().slice(0, maxStatementLength)
}

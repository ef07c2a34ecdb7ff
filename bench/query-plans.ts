import { countRowsRead } from '../tests/support/query-plans.ts'
import type { Mayfly } from './mayfly.ts'
import { logOf } from './postgres-log.ts'

/** Tables with at least this many rows count as large. */
const largeRows = 10_000
/**
 * Maximum number of rows that a request may read from one table. User searches scan the newest
 * 10,000.
 */
const maxRowsRead = 20_000
const maxStatementLength = 300

/** Statements that may read much of a large table, by prefix. */
const allowedScans: readonly { table: string; prefix: string }[] = [
  // The Admin Center's figures, cached for a minute.
  { table: 'users', prefix: 'select count(*), count(*) filter (where case when "users"."tier"' },
  {
    table: 'files',
    prefix:
      'select count(*), coalesce(sum("download_count"), 0) from "files" where "files"."deleted_at"',
  },
  // At most every ten seconds, starting an upload sums all open uploads, of which there are few.
  // Sums for one owner have a different prefix.
  {
    table: 'uploads',
    prefix: 'select coalesce(sum(greatest("size", 8388608)), 0) from "uploads" Aggregate',
  },
  // `remove-lapsed-rows`, every ten minutes. An index on the expiry would make each session renewal
  // update all indexes.
  {
    table: 'sessions',
    prefix: 'delete from "sessions" where "sessions"."id" in (select "id" from',
  },
  // `tell-ending-links`, every ten minutes, reads all users who want this email.
  { table: 'preferences', prefix: 'select "preferences"."user_id" from "preferences" inner join' },
]

/** Makes Postgres log every plan with actual row counts, starting with its next start. */
export function logPlansFromNextStart(mayfly: Mayfly): Promise<void> {
  return mayfly.inSession(async (sql) => {
    await sql("alter system set session_preload_libraries = 'auto_explain'")
    // auto_explain's settings exist only after it is loaded.
    await sql("load 'auto_explain'")
    await sql('alter system set auto_explain.log_min_duration = 0')
    await sql('alter system set auto_explain.log_analyze = on')
    // Also log the statements of triggers, foreign keys and functions.
    await sql('alter system set auto_explain.log_nested_statements = on')
  })
}

/** Returns Mayfly's large tables, according to Postgres statistics. */
export async function findLargeTables(mayfly: Mayfly): Promise<string[]> {
  const large = await mayfly.sql<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples >= $1`,
    [largeRows],
  )
  return large.map(({ name }) => name)
}

interface Reads {
  /** Rows and index entries of large tables. An index search without a result counts as one. */
  rows: number
  /** One sentence per statement that read too much of a large table. */
  problems: string[]
}

/**
 * Runs `work` and checks the plans of all statements executed meanwhile, including background jobs.
 */
export async function measureReads(
  mayfly: Mayfly,
  largeTables: readonly string[],
  work: () => Promise<unknown>,
): Promise<Reads> {
  const { log } = await logOf(mayfly, work)
  const reads: Reads = { rows: 0, problems: [] }
  for (const plan of plansIn(log)) {
    for (const table of largeTables) {
      const rows = countRowsRead(plan, table)
      reads.rows += rows
      const isScan = new RegExp(`Seq Scan on ${table}\\b.*\\(actual `).test(plan)
      const statement = statementOf(plan)
      if ((!isScan && rows <= maxRowsRead) || isAllowed(statement, table)) continue
      const accessMethod = isScan ? 'sequentially' : 'by an index'
      reads.problems.push(`reads ${rows} rows of ${table} ${accessMethod}: ${statement}`)
    }
  }
  return reads
}

function isAllowed(statement: string, tableName: string): boolean {
  return allowedScans.some(
    ({ table, prefix }) => table === tableName && statement.startsWith(prefix),
  )
}

function plansIn(log: string): string[] {
  return [...log.matchAll(/LOG: {2}duration: \S+ ms {2}plan:\n((?:\t.*\n?)*)/g)].map(
    ([, plan = '']) => plan,
  )
}

function statementOf(plan: string): string {
  const text = plan.replace(/^\s*Query Text:/, '').replaceAll(/\s+/g, ' ')
  return text.trim().slice(0, maxStatementLength)
}

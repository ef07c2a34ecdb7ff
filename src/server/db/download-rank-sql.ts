import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** Up to this many downloads, the rank of a file is the number of its downloads. */
export const largestExactRank = 20

/**
 * Returns the rank of a file as SQL. It grows with the number of downloads: a small number is the
 * rank itself, and a larger one gives a coarse rank. With an index on the number itself, Postgres
 * would write a new entry into every index of the table at each download. A coarse rank changes
 * only about once while the number grows by a tenth.
 */
export function downloadRankSql({ downloadCount }: { downloadCount: PgColumn }): SQL {
  const most = sql.raw(String(largestExactRank))
  const next = sql.raw(String(largestExactRank + 1))
  return sql`(case when ${downloadCount} <= ${most} then ${downloadCount}
    else ${next} + floor(10 * ln(${downloadCount}::float8 / ${next})) end)::smallint`
}

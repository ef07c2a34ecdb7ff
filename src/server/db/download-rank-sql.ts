import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** Up to this many downloads the rank is the number itself. */
export const largestExactRank = 20

/**
 * A number that grows with the downloads of a file, as SQL: the number itself where it is small,
 * above that a coarse one. An index on the number itself would make Postgres write a new entry in
 * every index of the table at each download. This one changes about once while the downloads grow
 * by a tenth.
 */
export function downloadRankSql({ downloadCount }: { downloadCount: PgColumn }): SQL {
  const most = sql.raw(String(largestExactRank))
  const next = sql.raw(String(largestExactRank + 1))
  return sql`(case when ${downloadCount} <= ${most} then ${downloadCount}
    else ${next} + floor(10 * ln(${downloadCount}::float8 / ${next})) end)::smallint`
}

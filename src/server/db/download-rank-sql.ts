import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/**
 * How many downloads a file needs at least for rank 1, 2, 3, 4, 5 and 6. Each number is about 1.6
 * times the one before, so the first 20 downloads change the rank only six times.
 */
const firstRanks = [1, 2, 3, 5, 8, 13] as const
/**
 * From this number of downloads on, the rank grows by about one when the downloads grow by a tenth.
 */
const finelyRanked = 21

/** Up to this rank, all files with the same rank have the same number of downloads. */
export const largestExactRank = 2

/**
 * Returns the rank of a file as SQL. The rank grows with the number of downloads, but most
 * downloads do not change it. Lists are sorted by an index on the rank, because an index on the
 * number of downloads would be slow: at each download, Postgres would write a new entry into every
 * index of the table.
 */
export function downloadRankSql({ downloadCount }: { downloadCount: PgColumn }): SQL {
  const next = sql.raw(String(finelyRanked))
  const steps = firstRanks.map(
    (least, rank) =>
      sql`when ${downloadCount} < ${sql.raw(String(least))} then ${sql.raw(String(rank))}`,
  )
  const last = sql.raw(String(firstRanks.length))
  const above = sql.raw(String(firstRanks.length + 1))
  return sql`(case ${sql.join(steps, sql` `)} when ${downloadCount} < ${next} then ${last}
    else ${above} + floor(10 * ln(${downloadCount}::float8 / ${next})) end)::smallint`
}

import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/**
 * The least numbers of downloads of the ranks 1 to 6. Each number is about 1.6 times the one before,
 * so the first 20 downloads change the rank six times.
 */
const firstRanks = [1, 2, 3, 5, 8, 13] as const
/** From this number of downloads on, the rank changes about once while the number grows by a tenth. */
const finelyRanked = 21

/** Up to this rank, all files with the same rank have the same number of downloads. */
export const largestExactRank = 2

/**
 * Returns the rank of a file as SQL. It grows with the number of downloads, but changes only with
 * some of them. With an index on the number itself, Postgres would write a new entry into every
 * index of the table at each download.
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

import type pg from 'pg'

/** Returns the short codes of links whose stored counts, size or name their files contradict. */
export async function findWrongTotals(pool: Pick<pg.Pool, 'query'>): Promise<string[]> {
  const { rows } = await pool.query<{ code: string }>(
    `select short_code as code from links left join lateral (
       select count(*) as count, count(*) filter (where is_upload) as uploads, sum(size) as size,
         (array_agg(original_name order by position))[1] as name
       from (
         select original_name, size, position, false as is_upload from files where link_id = links.id
         union all
         select original_name, size, position, true from uploads where link_id = links.id) entries
     ) totals on true
     where (file_count, pending_count, total_size, first_name)
       is distinct from (count, uploads, size, name)`,
  )
  return rows.map(({ code }) => code)
}

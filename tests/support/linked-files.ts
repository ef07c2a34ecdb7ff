const linkColumns = ['short_code', 'expires_at', 'max_lifetime_at', 'notified_expires_at']

/**
 * Returns SQL that inserts files, each with its own link. `columns` lists columns of `files` and
 * the columns of `links` in `linkColumns`; `select` returns their values in this order.
 */
export function insertLinkedFilesSql(columns: string, select: string): string {
  const names = columns.split(',').map((name) => name.trim())
  const fileColumns = names.filter((name) => !linkColumns.includes(name))
  const notifiedAt = names.includes('notified_expires_at') ? 'notified_expires_at' : 'null'
  const id = names.includes('id') ? '' : 'gen_random_uuid() as id, '
  return `with new_files as materialized (
      select ${id}* from (${select}) selected (${names.join(', ')})),
    new_links as (
      insert into links (id, owner_id, short_code, expiration_days, max_lifetime_days, created_at,
        ready_at, expires_at, max_lifetime_at, notified_expires_at, file_count, pending_count,
        total_size, first_name)
      select id, owner_id, short_code, 3, 30, created_at, created_at, expires_at, max_lifetime_at,
        ${notifiedAt}, 1, 0, size, original_name from new_files)
    insert into files (${fileColumns.join(', ')}${id && ', id'}, link_id, position)
    select ${fileColumns.join(', ')}${id && ', id'}, id, 0 from new_files`
}

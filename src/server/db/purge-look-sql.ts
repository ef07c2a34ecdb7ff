import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * Returns SQL for the moment at which the purge looks at a file next. If no look is planned, this
 * is the end of the link, because no bytes are due before it.
 */
export function purgeLookSql(file: { purgeTryAt: SQLWrapper; expiresAt: SQLWrapper }): SQL {
  return sql`coalesce(${file.purgeTryAt}, ${file.expiresAt})`
}

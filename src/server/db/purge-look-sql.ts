import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * Returns, as SQL, when the purge looks at a file next. No file is due before its link ends, so that
 * is when the purge looks at it first.
 */
export function purgeLookSql(file: { purgeTryAt: SQLWrapper; expiresAt: SQLWrapper }): SQL {
  return sql`coalesce(${file.purgeTryAt}, ${file.expiresAt})`
}

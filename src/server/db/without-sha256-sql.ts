import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * Returns SQL for the condition that a stored file has no SHA-256. A file whose bytes a server has
 * looked for and not found is left out.
 */
export function withoutSha256Sql(
  file: Record<'sha256' | 'isContentProved' | 'purgingAt' | 'purgedAt', SQLWrapper>,
): SQL {
  return sql`${file.sha256} is null and not ${file.isContentProved} and ${file.purgingAt} is null and ${file.purgedAt} is null`
}

import { eq, inArray, type SQL } from 'drizzle-orm'
import { files, links } from '../../src/server/db/schema.ts'
import type { Db } from '../../src/server/deps.ts'
import type { LinkRow } from '../../src/server/links/queries.ts'
import type { TestApp } from './app-server.ts'

type LinkDates = Pick<LinkRow, 'expiresAt' | 'maxLifetimeAt' | 'notifiedExpiresAt'>

/**
 * Reads a file's database row, with its link's code and dates unless its owner has deleted it.
 * @throws if there is no such file.
 */
export async function getFileRow(
  { deps }: TestApp,
  id: string,
): Promise<typeof files.$inferSelect & Partial<LinkDates & Pick<LinkRow, 'shortCode'>>> {
  const [row] = await deps.db
    .select()
    .from(files)
    .leftJoin(links, eq(links.id, files.linkId))
    .where(eq(files.id, id))
  if (!row) throw new Error('the row is gone')
  if (!row.links) return row.files
  const { shortCode, expiresAt, maxLifetimeAt, notifiedExpiresAt } = row.links
  return { ...row.files, shortCode, expiresAt, maxLifetimeAt, notifiedExpiresAt }
}

/** Changes files that match `condition`, and the dates of their links. */
export async function updateFiles(
  db: Db,
  condition: SQL | undefined,
  {
    expiresAt,
    maxLifetimeAt,
    notifiedExpiresAt,
    ...changes
  }: Partial<typeof files.$inferInsert> & Partial<LinkDates>,
): Promise<void> {
  const dates = { expiresAt, maxLifetimeAt, notifiedExpiresAt }
  if (Object.values(dates).some((date) => date !== undefined)) {
    const linkIds = db.select({ id: files.linkId }).from(files).where(condition)
    await db.update(links).set(dates).where(inArray(links.id, linkIds))
  }
  if (Object.keys(changes).length > 0) await db.update(files).set(changes).where(condition)
}

/** Returns the server's time plus `ms` milliseconds. */
export function timeFromNow({ clock }: TestApp, ms: number): Date {
  return new Date(clock().getTime() + ms)
}

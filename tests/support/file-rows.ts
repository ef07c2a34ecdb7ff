import { eq } from 'drizzle-orm'
import { files } from '../../src/server/db/schema.ts'
import type { TestApp } from './app-server.ts'

/**
 * Reads a file's database row.
 * @throws if there is none.
 */
export async function getFileRow(
  { deps }: TestApp,
  id: string,
): Promise<typeof files.$inferSelect> {
  const [row] = await deps.db.select().from(files).where(eq(files.id, id))
  if (!row) throw new Error('the row is gone')
  return row
}

/** Returns the server's time plus `ms` milliseconds. */
export function timeFromNow({ clock }: TestApp, ms: number): Date {
  return new Date(clock().getTime() + ms)
}

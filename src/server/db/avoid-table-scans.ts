import { sql } from 'drizzle-orm'
import type { Db } from './db.ts'

/**
 * Makes Postgres use indexes for the rest of a transaction. For a user who owns most of the files,
 * it would otherwise read the whole table. That is slower, because the index is usually in memory,
 * which Postgres cannot know.
 */
export async function avoidTableScans(tx: Db): Promise<void> {
  await tx.execute(sql`set local enable_seqscan = off`)
}

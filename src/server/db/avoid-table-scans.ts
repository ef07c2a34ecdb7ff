import { sql } from 'drizzle-orm'
import type { Db } from './db.ts'

/**
 * Makes Postgres prefer indexes for the rest of a transaction. Otherwise it reads the whole table
 * for a user who owns most of the files. That is slower, because the index is usually in memory,
 * and Postgres does not know that.
 */
export async function avoidTableScans(tx: Db): Promise<void> {
  await tx.execute(sql`set local enable_seqscan = off`)
}

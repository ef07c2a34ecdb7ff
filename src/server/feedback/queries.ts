import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/db.ts'
import { feedback } from '../db/schema.ts'

export type FeedbackRow = typeof feedback.$inferSelect

/** Stores feedback. Returns the id that it gets. */
export async function insertFeedback(tx: Db, row: Omit<FeedbackRow, 'id'>): Promise<string> {
  const [kept] = await tx.insert(feedback).values(row).returning({ id: feedback.id })
  if (!kept) throw new Error('the feedback was not kept')
  return kept.id
}

/** Returns the feedback with this id; undefined if it no longer exists. */
export async function findFeedback(db: Db, id: string): Promise<FeedbackRow | undefined> {
  const [row] = await db.select().from(feedback).where(eq(feedback.id, id))
  return row
}

/** The position of a row in the list: when it was sent, and its id. */
export type FeedbackPlace = readonly [createdAt: Date, id: string]

/**
 * Lists feedback, newest first, at most `limit` rows. With `after`, the list begins after that
 * position.
 */
export function listFeedback(
  db: Db,
  { limit, after }: { limit: number; after: FeedbackPlace | undefined },
): Promise<FeedbackRow[]> {
  const isAfter: SQL | undefined = after
    ? sql`(${feedback.createdAt}, ${feedback.id}) < (${after[0].toISOString()}::timestamptz, ${after[1]}::uuid)`
    : undefined
  return db
    .select()
    .from(feedback)
    .where(and(isAfter))
    .orderBy(desc(feedback.createdAt), desc(feedback.id))
    .limit(limit)
}

import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import { feedbackRetentionMs } from '../../shared/rules/files/retention.ts'
import { feedback } from '../db/schema.ts'
import { deleteInBatches } from '../db/sql.ts'
import type { Db } from '../db/transaction.ts'

export type FeedbackRow = typeof feedback.$inferSelect

/** Stores feedback and returns its id. */
export async function insertFeedback(tx: Db, row: Omit<FeedbackRow, 'id'>): Promise<string> {
  const [insertedRow] = await tx.insert(feedback).values(row).returning({ id: feedback.id })
  if (!insertedRow) throw new Error('inserting feedback returned no row')
  return insertedRow.id
}

/** Counts the feedback messages from a time span, and how many of them are probably from bots. */
export async function countFeedback(
  db: Db,
  { from, until }: { from: Date; until: Date },
): Promise<{ all: number; suspect: number }> {
  const isInSpan = and(gte(feedback.createdAt, from), lt(feedback.createdAt, until))
  const [all, suspect] = await Promise.all([
    db.$count(feedback, isInSpan),
    db.$count(feedback, and(isInSpan, feedback.isSuspect)),
  ])
  return { all, suspect }
}

/** Deletes feedback and returns it. Only one of several parallel callers gets the row. */
export async function removeFeedback(tx: Db, id: string): Promise<FeedbackRow | undefined> {
  const [row] = await tx.delete(feedback).where(eq(feedback.id, id)).returning()
  return row
}

/**
 * Deletes feedback older than `feedbackRetentionMs` at `now`, in batches.
 * @returns the number of deleted rows.
 */
export function removeOldFeedback(db: Db, now: Date): Promise<number> {
  const cutoff = new Date(now.getTime() - feedbackRetentionMs)
  return deleteInBatches(db, feedback.id, lt(feedback.createdAt, cutoff))
}

export async function findFeedback(db: Db, id: string): Promise<FeedbackRow | undefined> {
  const [row] = await db.select().from(feedback).where(eq(feedback.id, id))
  return row
}

export type FeedbackCursor = readonly [createdAt: Date, id: string]

/** Lists up to `limit` feedback messages, newest first, starting after the cursor `after`. */
export function listFeedback(
  db: Db,
  { limit, after }: { limit: number; after: FeedbackCursor | undefined },
): Promise<FeedbackRow[]> {
  return db
    .select()
    .from(feedback)
    .where(
      after &&
        sql`(${feedback.createdAt}, ${feedback.id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)`,
    )
    .orderBy(desc(feedback.createdAt), desc(feedback.id))
    .limit(limit)
}

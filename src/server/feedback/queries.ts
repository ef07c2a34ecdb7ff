import { and, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import { feedbackKeptMs } from '../../shared/rules/files/kept-times.ts'
import { feedback } from '../db/schema.ts'
import { removeInBatches } from '../db/sql.ts'
import type { Db } from '../db/transaction.ts'

export type FeedbackRow = typeof feedback.$inferSelect

/** Stores feedback. Returns the id that it gets. */
export async function insertFeedback(tx: Db, row: Omit<FeedbackRow, 'id'>): Promise<string> {
  const [kept] = await tx.insert(feedback).values(row).returning({ id: feedback.id })
  if (!kept) throw new Error('the feedback was not kept')
  return kept.id
}

/** Counts the feedback of a time span, and how much of it robots seem to have sent. */
export async function countFeedbackOf(
  db: Db,
  { from, until }: { from: Date; until: Date },
): Promise<{ all: number; suspect: number }> {
  const isOfSpan = and(gte(feedback.createdAt, from), lt(feedback.createdAt, until))
  const [all, suspect] = await Promise.all([
    db.$count(feedback, isOfSpan),
    db.$count(feedback, and(isOfSpan, feedback.isSuspect)),
  ])
  return { all, suspect }
}

/** Removes feedback. Of parallel callers exactly one gets the row. */
export async function removeFeedback(tx: Db, id: string): Promise<FeedbackRow | undefined> {
  const [removed] = await tx.delete(feedback).where(eq(feedback.id, id)).returning()
  return removed
}

/**
 * Removes the feedback that is older than `feedbackKeptMs` at `now`. It works in batches.
 * @returns how many rows were removed.
 */
export function removeOldFeedback(db: Db, now: Date): Promise<number> {
  const before = new Date(now.getTime() - feedbackKeptMs)
  return removeInBatches(async (limit) => {
    const ids = db
      .select({ id: feedback.id })
      .from(feedback)
      .where(lt(feedback.createdAt, before))
      .limit(limit)
      .for('update', { skipLocked: true })
    const { rowCount } = await db.delete(feedback).where(inArray(feedback.id, ids))
    return rowCount ?? 0
  })
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

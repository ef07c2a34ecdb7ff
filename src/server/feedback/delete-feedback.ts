import { z } from 'zod'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { removeFeedback } from './queries.ts'

const feedbackId = z.uuid()

/**
 * Deletes a feedback message permanently. The audit log records the deletion but none of the
 * message, because log entries can't be removed.
 * @throws {AppError} FEEDBACK_NOT_FOUND if no feedback has this id.
 */
export async function deleteFeedback(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  id: string,
  actor: Actor,
): Promise<void> {
  if (!feedbackId.safeParse(id).success) throw new AppError('FEEDBACK_NOT_FOUND')
  await db.transaction(async (tx) => {
    const deletedFeedback = await removeFeedback(tx, id)
    if (!deletedFeedback) throw new AppError('FEEDBACK_NOT_FOUND')
    const { createdAt, isSuspect } = deletedFeedback
    const details = { feedbackId: id, createdAt: createdAt.toISOString(), isSuspect }
    await writeAudit(tx, [adminEntry(actor, clock(), { action: 'delete-feedback', details })])
  })
}

import { z } from 'zod'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { removeFeedback } from './queries.ts'

const feedbackId = z.uuid()

/**
 * Deletes one feedback for good. The line of the audit log holds nothing of what somebody wrote,
 * because nobody can remove that line.
 * @throws {AppError} FEEDBACK_NOT_FOUND when no feedback has this id (any more).
 */
export async function deleteFeedback(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  id: string,
  actor: Actor,
): Promise<void> {
  if (!feedbackId.safeParse(id).success) throw new AppError('FEEDBACK_NOT_FOUND')
  await db.transaction(async (tx) => {
    const removed = await removeFeedback(tx, id)
    if (!removed) throw new AppError('FEEDBACK_NOT_FOUND')
    const { createdAt, isSuspect } = removed
    const details = { feedbackId: id, createdAt: createdAt.toISOString(), isSuspect }
    await writeAudit(tx, [adminEntry(actor, clock(), { action: 'delete-feedback', details })])
  })
}

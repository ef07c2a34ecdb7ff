import type { z } from 'zod'
import type { feedbackBody } from '../../shared/contract/feedback.ts'
import type { Deps } from '../deps.ts'
import { counter } from '../http/rate-limit.ts'
import { insertFeedback } from './queries.ts'

/**
 * Keeps feedback and asks for the mail that tells support of it, in one transaction: so neither is
 * lost. What seems to come from a robot is kept without a mail, because a browser may have filled
 * in the hidden field by itself.
 * @throws {AppError} TOO_MANY_REQUESTS.
 */
export async function sendFeedback(
  { clock, db, mailQueue, rateLimits }: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'rateLimits'>,
  { website, ...feedback }: z.output<typeof feedbackBody>,
  clientAddress: string,
): Promise<void> {
  await rateLimits.spend([counter('feedbackByAddress', clientAddress)])
  const isSuspect = Boolean(website)
  await db.transaction(async (tx) => {
    const feedbackId = await insertFeedback(tx, { ...feedback, isSuspect, createdAt: clock() })
    if (!isSuspect) await mailQueue.add({ kind: 'feedback', feedbackId }, tx)
  })
}

import type { z } from 'zod'
import type { feedbackBody } from '../../shared/contract/feedback.ts'
import type { Deps } from '../deps.ts'
import { addressBlock } from '../http/address-block.ts'
import { counter } from '../http/rate-limit.ts'
import { insertFeedback } from './queries.ts'

/**
 * Stores feedback and requests the mail that shows it to the support. Both are one transaction, so
 * that neither is lost. What a robot seems to have sent is stored too, without a mail: a browser
 * may have filled in the hidden field by itself.
 * @throws {AppError} TOO_MANY_REQUESTS.
 */
export async function sendFeedback(
  { clock, db, mailQueue, rateLimits }: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'rateLimits'>,
  { website, ...feedback }: z.output<typeof feedbackBody>,
  clientAddress: string,
): Promise<void> {
  await rateLimits.spend([counter('feedbackByAddress', addressBlock(clientAddress))])
  const isSuspect = Boolean(website)
  await db.transaction(async (tx) => {
    const feedbackId = await insertFeedback(tx, { ...feedback, isSuspect, createdAt: clock() })
    if (!isSuspect) await mailQueue.add({ kind: 'feedback', feedbackId }, tx)
  })
}

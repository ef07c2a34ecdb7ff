import type { z } from 'zod'
import type { feedbackBody } from '../../shared/contract/feedback.ts'
import { mostFeedbackADay } from '../../shared/rules/accounts/feedback.ts'
import { dayInMs, hourInMs, minuteInMs } from '../../shared/rules/format/units.ts'
import type { Db, Deps } from '../deps.ts'
import { emailKey } from '../email/mail-queue.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import { counter } from '../http/rate-limit.ts'
import { countFeedbackUnderLock, insertFeedback } from './queries.ts'

type FeedbackDeps = Pick<Deps, 'clock' | 'config' | 'db' | 'mailQueue' | 'rateLimits'>

/**
 * Stores feedback, and puts the email that shows it to the support into the queue. Both are one
 * transaction, so that neither is lost. Two sorts of feedback get no mail of their own: feedback
 * with something in the hidden field `website`, which seems to be from a robot, and feedback that
 * comes when the emails of this hour are used up. The first sort is not refused, because a browser
 * may have filled in the field by itself. After the hour, one email tells how much feedback of it
 * is stored.
 * @throws {AppError} TOO_MANY_REQUESTS when this address has sent too much, or the instance has
 * stored as much as it takes in a day.
 */
export async function sendFeedback(
  deps: FeedbackDeps,
  { website, ...feedback }: z.output<typeof feedbackBody>,
  clientAddress: string,
): Promise<void> {
  const { clock, db, mailQueue, rateLimits } = deps
  await rateLimits.spend([counter('feedbackByAddress', addressBlock(clientAddress))])
  const isSuspect = Boolean(website)
  const isMailed = !isSuspect && (await takeEmail(rateLimits))
  await db.transaction(async (tx) => {
    const createdAt = clock()
    await requireRoom(deps, tx, createdAt)
    const feedbackId = await insertFeedback(tx, { ...feedback, isSuspect, createdAt })
    if (isMailed) await mailQueue.add({ kind: 'feedback', feedbackId }, tx)
    else await askForDigest(mailQueue, tx, createdAt)
  })
}

/**
 * Asks for the one email about all feedback of an hour. It is sent a minute after the hour, so
 * that feedback which is being stored then is counted. If the clock is set back after that email,
 * the hour comes again and gets no second email. The Admin Center lists the feedback all the same.
 */
async function askForDigest(mailQueue: Deps['mailQueue'], tx: Db, now: Date): Promise<void> {
  const start = Math.floor(now.getTime() / hourInMs) * hourInMs
  const end = start + hourInMs
  const [from, until] = [new Date(start).toISOString(), new Date(end).toISOString()]
  const later = { at: new Date(end + minuteInMs), key: emailKey(`feedback from ${from}`) }
  await mailQueue.add({ kind: 'feedback-digest', from, until }, tx, later)
}

/** Counts one email about feedback. Returns false when those of this hour are used up. */
async function takeEmail(rateLimits: Deps['rateLimits']): Promise<boolean> {
  try {
    await rateLimits.spend([counter('feedbackEmails', 'all')])
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'TOO_MANY_REQUESTS') return false
    throw error
  }
}

/**
 * @throws {AppError} TOO_MANY_REQUESTS when the last 24 hours have brought `mostFeedbackADay`
 * pieces of feedback.
 */
async function requireRoom({ config }: FeedbackDeps, tx: Db, now: Date): Promise<void> {
  const { count, first } = await countFeedbackUnderLock(tx, new Date(now.getTime() - dayInMs))
  if (count < mostFeedbackADay || first === null) return
  const seconds = Math.max(1, Math.ceil((first.getTime() + dayInMs - now.getTime()) / 1000))
  throw new AppError('TOO_MANY_REQUESTS', {
    message: `So much feedback has arrived today that no more is taken. Please write to ${config.supportEmail}.`,
    headers: { 'retry-after': String(seconds) },
  })
}

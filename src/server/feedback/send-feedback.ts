import type { z } from 'zod'
import { email } from '../../shared/contract/account.ts'
import type { feedbackBody } from '../../shared/contract/feedback.ts'
import { hourInMs, minuteInMs } from '../../shared/rules/format/units.ts'
import type { Db, Deps } from '../deps.ts'
import { emailToSupport, type OutgoingEmail } from '../email/email.ts'
import { emailKey, type MailRequest } from '../email/mail-queue.ts'
import { feedbackDigestEmail, feedbackEmail } from '../email/templates/support.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import { counter } from '../http/rate-limit.ts'
import { countFeedback, findFeedback, insertFeedback } from './queries.ts'

type FeedbackDeps = Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'rateLimits'>

/**
 * Stores feedback and queues an email to support, in one transaction. Feedback is not emailed if
 * the hidden field `website` is filled in, as bots and some browsers do, or if this hour's emails
 * are used up. In that case, support gets a digest after the hour.
 * @throws {AppError} TOO_MANY_REQUESTS if this IP address, or all clients together, sent too much.
 */
export async function sendFeedback(
  { clock, db, mailQueue, rateLimits }: FeedbackDeps,
  { website, ...feedback }: z.output<typeof feedbackBody>,
  clientAddress: string,
): Promise<void> {
  await rateLimits.spend([
    counter('feedbackByAddress', addressBlock(clientAddress)),
    counter('feedbackFromAll', 'all'),
  ])
  const isSuspect = Boolean(website)
  const shouldEmail = !isSuspect && (await reserveEmail(rateLimits))
  await db.transaction(async (tx) => {
    const createdAt = clock()
    const feedbackId = await insertFeedback(tx, { ...feedback, isSuspect, createdAt })
    if (shouldEmail) await mailQueue.add({ kind: 'feedback', feedbackId }, tx)
    else await queueDigest(mailQueue, tx, createdAt)
  })
}

/**
 * Queues the digest of an hour's feedback. It is sent a minute after the hour ends, to include
 * feedback that is still being stored.
 */
async function queueDigest(mailQueue: Deps['mailQueue'], tx: Db, now: Date): Promise<void> {
  const startMs = Math.floor(now.getTime() / hourInMs) * hourInMs
  const endMs = startMs + hourInMs
  const [from, until] = [new Date(startMs).toISOString(), new Date(endMs).toISOString()]
  const schedule = { at: new Date(endMs + minuteInMs), key: emailKey(`feedback from ${from}`) }
  await mailQueue.add({ kind: 'feedback-digest', from, until }, tx, schedule)
}

/** Reserves one of this hour's feedback emails. Returns false if none are left. */
async function reserveEmail(rateLimits: Deps['rateLimits']): Promise<boolean> {
  try {
    await rateLimits.spend([counter('feedbackEmails', 'all')])
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'TOO_MANY_REQUESTS') return false
    throw error
  }
}

type FeedbackEmailRequest = Extract<MailRequest, { kind: 'feedback' }>

/**
 * Renders the email that forwards feedback to support. Replies go to whoever sent the feedback.
 * Returns null if the feedback was deleted.
 */
export async function writeFeedbackEmail(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { feedbackId }: FeedbackEmailRequest,
): Promise<OutgoingEmail | null> {
  const feedback = await findFeedback(db, feedbackId)
  if (!feedback) return null
  const sender = email.safeParse(feedback.email)
  return {
    ...emailToSupport(config, feedbackEmail(feedback)),
    ...(sender.success && { replyTo: { name: feedback.name, address: sender.data } }),
  }
}

/** Renders the digest of an hour's feedback. Returns null if all of it was deleted. */
export async function writeFeedbackDigest(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  request: Extract<MailRequest, { kind: 'feedback-digest' }>,
): Promise<OutgoingEmail | null> {
  const span = { from: new Date(request.from), until: new Date(request.until) }
  const feedbackCounts = await countFeedback(db, span)
  if (feedbackCounts.all === 0) return null
  const adminCenterUrl = `${config.appUrl.origin}/admin`
  return emailToSupport(
    config,
    feedbackDigestEmail({ ...span, ...feedbackCounts, adminCenter: adminCenterUrl }),
  )
}

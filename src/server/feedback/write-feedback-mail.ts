import { email } from '../../shared/contract/account.ts'
import type { Deps } from '../deps.ts'
import type { Addressed } from '../email/addressed.ts'
import { feedbackDigestLetter, feedbackLetter } from '../email/letters/feedback.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { countFeedbackOf, findFeedback } from './queries.ts'

type FeedbackMail = Extract<MailRequest, { kind: 'feedback' }>

/**
 * Writes the email that shows feedback to the support. An answer to the email goes to the person
 * who sent the feedback. Returns null if the feedback no longer exists.
 */
export async function writeFeedbackMail(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { feedbackId }: FeedbackMail,
): Promise<Addressed | null> {
  const feedback = await findFeedback(db, feedbackId)
  if (!feedback) return null
  const sender = email.safeParse(feedback.email)
  return {
    to: { name: 'Mayfly support', address: config.supportEmail },
    content: feedbackLetter(feedback),
    ...(sender.success && { replyTo: { name: feedback.name, address: sender.data } }),
  }
}

/**
 * Writes the email that tells the support that not all feedback of an hour got an email of its own,
 * and how much of that hour is stored now. Returns null if all of it is deleted.
 */
export async function writeFeedbackDigest(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  asked: Extract<MailRequest, { kind: 'feedback-digest' }>,
): Promise<Addressed | null> {
  const span = { from: new Date(asked.from), until: new Date(asked.until) }
  const counts = await countFeedbackOf(db, span)
  if (counts.all === 0) return null
  return {
    to: { name: 'Mayfly support', address: config.supportEmail },
    content: feedbackDigestLetter({
      ...span,
      ...counts,
      adminCenter: `${config.appUrl.origin}/admin`,
    }),
  }
}

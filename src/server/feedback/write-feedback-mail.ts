import { email } from '../../shared/contract/account.ts'
import type { Deps } from '../deps.ts'
import { emailToSupport, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { feedbackDigestEmail, feedbackEmail } from '../email/templates/support.ts'
import { countFeedbackOf, findFeedback } from './queries.ts'

type FeedbackMail = Extract<MailRequest, { kind: 'feedback' }>

/**
 * Writes the email that shows feedback to the support. An answer to the email goes to the person
 * who sent the feedback. Returns null if the feedback no longer exists.
 */
export async function writeFeedbackMail(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { feedbackId }: FeedbackMail,
): Promise<OutgoingEmail | null> {
  const feedback = await findFeedback(db, feedbackId)
  if (!feedback) return null
  const sender = email.safeParse(feedback.email)
  return {
    ...emailToSupport(config, feedbackEmail(feedback)),
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
): Promise<OutgoingEmail | null> {
  const span = { from: new Date(asked.from), until: new Date(asked.until) }
  const counts = await countFeedbackOf(db, span)
  if (counts.all === 0) return null
  const adminCenter = `${config.appUrl.origin}/admin`
  return emailToSupport(config, feedbackDigestEmail({ ...span, ...counts, adminCenter }))
}

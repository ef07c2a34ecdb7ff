import { and, eq, gt, inArray } from 'drizzle-orm'
import {
  dailyLimit,
  type EmailKind,
  emailLimits,
} from '../../shared/rules/accounts/email-limits.ts'
import { writeReportEmail, writeTakedownEmail } from '../abuse/write-emails.ts'
import { lockAddress } from '../auth/queries.ts'
import { removePendingSignup } from '../auth/signup-queries.ts'
import { writeAccountEmail } from '../auth/write-emails.ts'
import { sentEmails } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import type { OutgoingEmail } from '../email/email.ts'
import { type MailRequest, mailRequest } from '../email/mail-queue.ts'
import { renderEmail } from '../email/render-email.ts'
import { writeFeedbackDigest, writeFeedbackEmail } from '../feedback/send-feedback.ts'
import { writeFileEmail } from '../files/file-emails.ts'
import { writeLinkEmail } from '../link-emails/write-email.ts'
import { writeDeliveryEmail, writeRequestReminder } from '../requests/request-emails.ts'
import { writeTrialEmail } from '../tiers/trial-emails.ts'

export type SendMailDeps = Pick<
  Deps,
  'clock' | 'config' | 'db' | 'log' | 'mailer' | 'secret' | 'settings'
>

/** The email limit that each kind of request counts toward. */
const limitKinds: Readonly<Record<MailRequest['kind'], EmailKind>> = {
  signup: 'signup',
  'resend-verification': 'signup',
  'forgot-password': 'reset-password',
  'password-changed': 'account',
  'google-linked': 'account',
  'account-deleted': 'account',
  trial: 'account',
  links: 'files',
  deliveries: 'deliveries',
  'request-closes': 'files',
  'shared-link': 'shared-link',
  takedown: 'support',
  feedback: 'support',
  'feedback-digest': 'support',
  report: 'support',
}

/**
 * Sends the requested email, unless it is no longer needed, its recipient has reached a limit, or
 * it is about an account whose email address is unverified. Every attempt has the same
 * `Message-ID`, so that mail programs recognize a duplicate.
 * @param job has the same id for all attempts.
 * @throws {MailRejectedError} if the mail server permanently rejects the email. After any other
 * error, a later attempt may succeed.
 */
export async function sendMail(
  deps: SendMailDeps,
  job: { id: string },
  request: unknown,
): Promise<void> {
  const { config, log, mailer, settings } = deps
  const emailRequest = mailRequest.parse(request)
  const { id, kind } = { id: job.id, kind: limitKinds[emailRequest.kind] }
  const email = await composeEmail(deps, emailRequest)
  if (email === null || !isAllowed(deps, email, kind)) return
  if (!(await admitEmail(deps, { id, kind, address: email.to.address }))) {
    log.info({ kind: emailRequest.kind, jobId: id }, 'email limit reached')
    // The email won't be sent, so the signup can't be completed.
    if (emailRequest.kind === 'signup') await removePendingSignup(deps.db, emailRequest.signupId)
    return
  }
  const { supportEmail, appUrl } = config
  const { email_signature: signature } = await settings.read()
  await mailer.send({
    to: email.to,
    content: renderEmail(email.content, { signature, supportEmail }),
    replyTo: email.replyTo,
    unsubscribeUrl: email.unsubscribeUrl,
    messageId: `${id}@${appUrl.hostname}`,
  })
  log.info({ kind: emailRequest.kind, jobId: id }, 'email sent')
}

/**
 * If email addresses must be verified, an unverified one gets only emails whose link verifies it,
 * such as a password reset link.
 */
function isAllowed({ config }: SendMailDeps, email: OutgoingEmail, kind: EmailKind): boolean {
  const provesAddress = kind === 'signup' || kind === 'reset-password'
  return email.isVerified || provesAddress || !config.requireEmailVerification
}

/** Writes the requested email. Returns null if none should be sent. */
function composeEmail(deps: SendMailDeps, request: MailRequest): Promise<OutgoingEmail | null> {
  switch (request.kind) {
    case 'trial':
      return writeTrialEmail(deps, request)
    case 'feedback':
      return writeFeedbackEmail(deps, request)
    case 'feedback-digest':
      return writeFeedbackDigest(deps, request)
    case 'report':
      return writeReportEmail(deps, request)
    case 'links':
      return writeFileEmail(deps, request)
    case 'shared-link':
      return writeLinkEmail(deps, request)
    case 'deliveries':
      return writeDeliveryEmail(deps, request)
    case 'request-closes':
      return writeRequestReminder(deps, request)
    case 'takedown':
      return writeTakedownEmail(deps, request)
    default:
      return writeAccountEmail(deps, request)
  }
}

/**
 * Counts an email toward its recipient's limits. Returns false if the limit for this kind of email
 * or the daily limit has been reached. Emails to the same address are counted one at a time, so
 * concurrent ones can't exceed a limit.
 * @param email `id` is the same for all attempts, so the email counts only once.
 */
function admitEmail(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  { id, kind, address }: { id: string; kind: EmailKind; address: string },
): Promise<boolean> {
  const email = address.toLowerCase()
  const limits = [{ ...emailLimits[kind], kinds: [kind] }, dailyLimit]
  return db.transaction(async (tx) => {
    await lockAddress(tx, email)
    if ((await tx.$count(sentEmails, eq(sentEmails.id, id))) > 0) return true
    const now = clock()
    for (const { kinds, max, windowMs } of limits) {
      const countsTowardLimit = and(
        eq(sentEmails.email, email),
        inArray(sentEmails.kind, kinds),
        gt(sentEmails.sentAt, new Date(now.getTime() - windowMs)),
      )
      if (kinds.includes(kind) && (await tx.$count(sentEmails, countsTowardLimit)) >= max)
        return false
    }
    await tx.insert(sentEmails).values({ id, email, kind, sentAt: now })
    return true
  })
}

import { writeReportMail } from '../abuse/write-report-mail.ts'
import { writeTakedownMail } from '../abuse/write-takedown-mail.ts'
import { writeAccountMail } from '../auth/write-account-mail.ts'
import type { Deps } from '../deps.ts'
import type { Addressed } from '../email/addressed.ts'
import { writeLetter } from '../email/letter.ts'
import { type MailRequest, mailRequest } from '../email/mail-queue.ts'
import { writeFeedbackDigest, writeFeedbackMail } from '../feedback/write-feedback-mail.ts'
import { writeFileMail } from '../files/write-file-mail.ts'
import { writeTrialMail } from '../tiers/write-trial-mail.ts'

export type SendMailDeps = Pick<Deps, 'clock' | 'config' | 'db' | 'log' | 'mailer' | 'settings'>

/**
 * Sends the email that a request asks for. Sends none if nobody needs it any more. Each try of a
 * request has the same `Message-ID`, so that mail programs recognise a second copy.
 * @param job its id stays the same for all tries; `retryCount` says how many tries came before.
 * @throws {MailRefused} when the mail server will never take the email. After any other error a
 * later try may succeed.
 */
export async function sendMail(
  deps: SendMailDeps,
  job: { id: string; retryCount: number },
  request: unknown,
): Promise<void> {
  const { config, log, mailer, settings } = deps
  const asked = mailRequest.parse(request)
  const mail = await writeMail(deps, asked, { isRepeated: job.retryCount > 0 })
  if (mail === null) return
  const { supportEmail, appUrl } = config
  const { email_signature: signature } = await settings.read()
  const letter = writeLetter(mail.content, { signature, supportEmail })
  await mailer.send({
    to: mail.to,
    letter,
    replyTo: mail.replyTo,
    messageId: `${job.id}@${appUrl.hostname}`,
  })
  log.info({ kind: asked.kind, jobId: job.id }, 'mail sent')
}

/**
 * Writes the email of a request, by the code of the feature that the request belongs to. Returns
 * null if no mail is to be sent.
 */
function writeMail(
  deps: SendMailDeps,
  asked: MailRequest,
  options: { isRepeated: boolean },
): Promise<Addressed | null> {
  switch (asked.kind) {
    case 'trial':
      return writeTrialMail(deps, asked)
    case 'feedback':
      return writeFeedbackMail(deps, asked)
    case 'feedback-digest':
      return writeFeedbackDigest(deps, asked)
    case 'report':
      return writeReportMail(deps, asked)
    case 'files':
      return writeFileMail(deps, asked)
    case 'takedown':
      return writeTakedownMail(deps, asked)
    default:
      return writeAccountMail(deps, asked, options)
  }
}

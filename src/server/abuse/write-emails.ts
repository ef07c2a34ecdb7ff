import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import type { Deps } from '../deps.ts'
import { emailToOwner, emailToSupport, greetingName, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { takedownEmail } from '../email/templates/files.ts'
import { reportEmail } from '../email/templates/support.ts'
import { findUser } from '../tiers/queries.ts'
import { findFileNames } from './queries.ts'
import { findOpenReport } from './report-queries.ts'

type TakedownEmail = Extract<MailRequest, { kind: 'takedown' }>

/**
 * Writes the email that tells an owner which files were taken down and why. Replies go to the
 * support address. Returns null if the account no longer exists.
 */
export async function writeTakedownEmail(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { userId, fileIds, reason, takenDownAt }: TakedownEmail,
): Promise<OutgoingEmail | null> {
  const owner = await findUser(db, userId)
  if (!owner) return null
  // If the email address is unverified, someone else may have used it to sign up and may have put a
  // message to its real owner into the file names. For the same reason, `greetingName` omits the
  // user's name.
  const fileNames = owner.emailVerified ? await findFileNames(db, fileIds) : []
  const { supportEmail } = config
  const content = takedownEmail({
    name: greetingName(owner),
    fileNames,
    count: fileIds.length,
    reason,
    takenDownAt: timestampText(new Date(takenDownAt)),
    supportEmail,
  })
  return {
    ...emailToOwner(owner, content),
    replyTo: { name: 'Mayfly support', address: supportEmail },
  }
}

type ReportEmail = Extract<MailRequest, { kind: 'report' }>

/**
 * Writes the email that tells support about a reported file, with the newest statement that isn't
 * probable spam. Returns null if the report is closed or has no such statement.
 */
export async function writeReportEmail(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { fileId }: ReportEmail,
): Promise<OutgoingEmail | null> {
  const report = await findOpenReport(db, fileId)
  const statement = report?.statements.findLast(({ isSuspect }) => !isSuspect)
  if (!report || !statement) return null
  const { origin } = config.appUrl
  const { shortCode, originalName: fileName, count } = report
  const { at, reason, email } = statement
  const content = reportEmail({
    fileName,
    link: `${origin}/s/${shortCode}`,
    count,
    reason,
    email,
    reportedAt: new Date(at),
    adminCenter: `${origin}/admin`,
  })
  return emailToSupport(config, content)
}

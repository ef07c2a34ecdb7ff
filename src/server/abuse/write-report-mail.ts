import type { Deps } from '../deps.ts'
import { emailToSupport, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { reportEmail } from '../email/templates/support.ts'
import { findOpenReport } from './report-queries.ts'

type ReportMail = Extract<MailRequest, { kind: 'report' }>

/**
 * Writes the email that tells support about a reported file. It contains the last statement that no
 * robot seems to have sent. Returns null if the report is no longer open, or has no such statement.
 */
export async function writeReportMail(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { fileId }: ReportMail,
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

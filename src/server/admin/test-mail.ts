import { randomUUID } from 'node:crypto'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { renderEmail } from '../email/render-email.ts'
import { testEmail } from '../email/templates/support.ts'
import type { SessionUser } from '../http/session.ts'
import { withTimeout } from '../timeout.ts'

const timeoutMs = 20_000

type TestMailDeps = Pick<Deps, 'config' | 'log' | 'mailer' | 'settings'>

/**
 * Sends the administrator a test email directly, without the queue, so errors are shown immediately
 * (spec §2). Writes an audit log entry for each attempt, with its outcome and whether the email
 * went to a mail server or to the outbox folder. `message` is a sentence for the administrator.
 */
export async function testMail(
  deps: TestMailDeps & Pick<Deps, 'clock' | 'db'>,
  admin: Pick<SessionUser, 'email' | 'name'>,
  actor: Actor,
) {
  const sendResult = await sendTestMail(deps, admin)
  const details = { success: sendResult.success, toOutbox: deps.config.smtpUrl === null }
  await writeAudit(deps.db, [
    adminEntry(actor, deps.clock(), { action: 'test-mail', details: details }),
  ])
  return sendResult
}

async function sendTestMail(
  { config, log, mailer, settings }: TestMailDeps,
  admin: Pick<SessionUser, 'email' | 'name'>,
) {
  const { appUrl, smtpUrl, supportEmail } = config
  const { email_signature: signature } = await settings.read()
  const content = renderEmail(testEmail({ origin: appUrl.origin }), { signature, supportEmail })
  const to = { name: admin.name, address: admin.email }
  const messageId = `${randomUUID()}@${appUrl.hostname}`
  try {
    await withTimeout(mailer.send({ to, content, messageId }), timeoutMs)
  } catch (error) {
    log.warn({ err: error }, 'the test mail could not be sent')
    const reason = error instanceof Error ? error.message : String(error)
    return { success: false, message: `The mail server rejected the email: ${reason}` }
  }
  const message =
    smtpUrl === null
      ? 'No mail server is set (SMTP_URL), so the email was written to the folder outbox.'
      : `The mail server accepted the email to ${admin.email}.`
  return { success: true, message }
}

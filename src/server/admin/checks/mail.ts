import { join } from 'node:path'
import { durationText } from '../../../shared/rules/format/numbers.ts'
import { timestampText } from '../../../shared/rules/format/timestamp-text.ts'
import { minuteInMs } from '../../../shared/rules/format/units.ts'
import { allowsPlaintext } from '../../email/mailer.ts'
import { codeOf } from '../../errors.ts'
import { isLoopback } from '../../http/hosts.ts'
import { withTimeout } from '../../timeout.ts'
import {
  type CheckDeps,
  describeError,
  type Finding,
  failing,
  ok,
  shortenReason,
  stepTimeoutMs,
  warning,
} from './check.ts'
import { countWaitingEmails, type LostEmail, listLostEmails } from './queries.ts'

type MailCheckDeps = Pick<CheckDeps, 'clock' | 'config' | 'db' | 'mailer'>

/** Lost emails are reported for this many days. The queue keeps them for 14 days. */
const reportedDays = 7
/** Maximum number of lost emails described individually. The total still includes all of them. */
const maxDescribed = 5
/**
 * A waiting email is reported after this many failed attempts, so after more than seven minutes.
 */
const minFailedAttempts = 5
/**
 * If an email has been due for this long without an attempt, no server is sending emails. The queue
 * polls every second.
 */
const stalledAfterMs = 5 * minuteInMs

/**
 * Checks whether the mail server can be reached, and whether emails have been lost or are waiting.
 */
export function checkMail(deps: MailCheckDeps): Promise<Finding[]> {
  return Promise.all([checkServer(deps), checkLostEmails(deps), checkWaitingEmails(deps)])
}

async function checkServer({ config, mailer }: MailCheckDeps): Promise<Finding> {
  const { smtpUrl } = config
  try {
    await withTimeout(mailer.check(), stepTimeoutMs)
  } catch (error) {
    return smtpUrl === null
      ? describeOutboxFailure(error, config.dataDir)
      : describeServerFailure(error, smtpUrl)
  }
  return smtpUrl === null ? outboxFinding(config) : serverFinding(smtpUrl)
}

function serverFinding(smtpUrl: string): Finding {
  const message = `${getHost(smtpUrl)} accepts email.`
  if (!allowsPlaintext(smtpUrl) || isLoopback(new URL(smtpUrl).hostname)) return ok(message)
  return warning(
    `${message} But email and the login may be sent without TLS, and the links in emails open accounts.`,
    'Unless the network to it is private, remove requireTLS=false from SMTP_URL and restart the server.',
  )
}

function describeServerFailure(error: unknown, smtpUrl: string): Finding {
  const host = getHost(smtpUrl)
  const reason = describeError(error)
  const retryNote = 'Emails wait and are retried for a day'
  if (codeOf(error) === 'EAUTH') {
    return failing(
      `${host} refused the login (${reason}). ${retryNote}.`,
      'Correct the user and password in SMTP_URL and restart the server. Waiting emails are then sent automatically.',
    )
  }
  if (codeOf(error) === 'ETLS') {
    return failing(
      `${host} offers no trusted TLS (${reason}), so no email is sent. ${retryNote}.`,
      'Use smtps:// with an implicit TLS port (usually 465), or a server that offers STARTTLS with a certificate for its name. In a private network, SMTP_URL can end in ?requireTLS=false. Then restart the server.',
    )
  }
  return failing(
    `${host} does not respond like a mail server (${reason}). ${retryNote}.`,
    'Check host and port in SMTP_URL (smtps:// for an implicit TLS port, usually 465), and whether a firewall blocks the connection. Restart the server after a change.',
  )
}

function describeOutboxFailure(error: unknown, dataDir: string): Finding {
  return failing(
    `No mail can be written to ${join(dataDir, 'outbox')} (${describeError(error)}).`,
    'Make it a folder that the user running the server can write to, or set SMTP_URL and restart.',
  )
}

function outboxFinding({
  appUrl,
  dataDir,
  requireEmailVerification,
}: MailCheckDeps['config']): Finding {
  const message = `No mail server is set. Each email is a file in ${join(dataDir, 'outbox')}.`
  if (isLoopback(appUrl.hostname)) return ok(`${message} That is enough for use on this machine.`)
  const consequence = requireEmailVerification
    ? 'Nobody can verify an address or reset a password.'
    : 'Nobody can reset a password.'
  return warning(
    `${message} ${consequence}`,
    'Set SMTP_URL=smtp://user:password@host:port and MAIL_FROM, and restart the server. Emails already in the folder are not sent.',
  )
}

/**
 * Returns the host and port. The rest of the URL must not be shown, because it contains the user
 * name and password.
 */
function getHost(smtpUrl: string): string {
  return new URL(smtpUrl).host
}

async function checkLostEmails({ clock, config, db }: MailCheckDeps): Promise<Finding> {
  const now = clock()
  const { supportEmail } = config
  const options = { days: reportedDays, limit: maxDescribed, supportEmail }
  const { total, newest } = await listLostEmails(db, options)
  const about = 'lost emails'
  if (total === 0) return { about, ...ok(`None in the last ${reportedDays} days.`) }
  const emailsText = total === 1 ? 'An email was' : `${total} emails were`
  const remainderText =
    total > newest.length
      ? ` And ${total - newest.length} more: the query in docs/operations.md (Mail) lists them.`
      : ''
  const message = `${emailsText} lost in the last ${reportedDays} days. ${newest.map((email) => describeLostEmail(email, now)).join(' ')}${remainderText}`
  const remedy =
    'See the answer of the mail server. If an address is wrong, contact its owner another way. If the sender was rejected, set MAIL_FROM to an address that this mail server accepts, and restart. Lost emails are not sent again; people can request new ones.'
  return { about, ...warning(message, remedy) }
}

function describeLostEmail({ kind, address, reason, at }: LostEmail, now: Date): string {
  const recipient = address ?? 'a deleted account'
  return `To ${recipient} (${kind}, ${timestampText(at, now)}): ${shortenReason(reason)}.`
}

async function checkWaitingEmails({ db }: MailCheckDeps): Promise<Finding> {
  const about = 'waiting emails'
  const thresholds = { tries: minFailedAttempts, minutes: stalledAfterMs / minuteInMs }
  const { retrying, maxAttempts, reason, unattempted } = await countWaitingEmails(db, thresholds)
  if (unattempted > 0) {
    const message = `${waitingText(unattempted)} for more than ${durationText(stalledAfterMs)}, and no server is sending.`
    const remedy =
      'Restart the server. If that does not help, search its log for "the job queue failed". No email is lost.'
    return { about, ...failing(message, remedy) }
  }
  if (retrying === 0) return { about, ...ok('None has waited long.') }
  const message = `${waitingText(retrying)} after up to ${maxAttempts} tries. The mail server's last answer: ${shortenReason(reason ?? '')}.`
  const remedy =
    'If the check Mail is failing, fix that first. Otherwise ask whoever runs the mail server about this answer. Each email is retried for a day.'
  return { about, ...warning(message, remedy) }
}

function waitingText(emailCount: number): string {
  return emailCount === 1 ? 'An email has been waiting' : `${emailCount} emails have been waiting`
}

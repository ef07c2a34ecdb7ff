import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { Mailer } from './mailer.ts'
import { outboxMailer } from './outbox.ts'
import { smtpMailer } from './smtp.ts'

/**
 * Creates the mailer that the settings ask for. If they name a mail server, it sends mail there.
 * Otherwise it writes each mail to the folder `outbox`.
 */
export function createMailer(
  { smtpUrl, mailFrom, dataDir }: Pick<Config, 'dataDir' | 'mailFrom' | 'smtpUrl'>,
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
): Mailer {
  if (smtpUrl !== null) return smtpMailer({ url: smtpUrl, from: mailFrom })
  return outboxMailer({ folder: join(dataDir, 'outbox'), from: mailFrom, clock, log })
}

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import type { Mailer } from './mailer.ts'

type MailSettings = Pick<Config, 'dataDir' | 'mailFrom' | 'smtpUrl'>
type MailDeps = Pick<Deps, 'clock' | 'log'>

/**
 * True if this server sends email. Otherwise each email becomes a file that only the operator
 * reads, so no page may promise an email to a user.
 */
export function hasMailServer({ smtpUrl }: Pick<Config, 'smtpUrl'>): boolean {
  return smtpUrl !== null
}

/**
 * Creates the mailer for these settings. It sends through SMTP if a mail server is configured, and
 * otherwise writes files to the folder `outbox`. The SMTP library is loaded with the first email,
 * because it slows down startup and uses memory.
 */
export function createMailer(settings: MailSettings, deps: MailDeps): Mailer {
  let mailerPromise: Promise<Mailer> | undefined

  const getMailer = (): Promise<Mailer> => {
    mailerPromise ??= loadMailer(settings, deps).catch((error) => {
      // Let the next email retry the import. It may have failed for lack of file descriptors.
      mailerPromise = undefined
      throw error
    })
    return mailerPromise
  }

  return {
    send: async (email) => (await getMailer()).send(email),
    check: async () => (await getMailer()).check(),
    close: () =>
      void mailerPromise?.then(
        (mailer) => mailer.close(),
        () => {},
      ),
  }
}

async function loadMailer(
  { smtpUrl, mailFrom, dataDir }: MailSettings,
  { clock, log }: MailDeps,
): Promise<Mailer> {
  if (smtpUrl !== null) {
    const { createSmtpMailer } = await import('./smtp.ts')
    return createSmtpMailer({ url: smtpUrl, from: mailFrom })
  }
  const { createOutboxMailer } = await import('./outbox.ts')
  return createOutboxMailer({ folder: join(dataDir, 'outbox'), from: mailFrom, clock, log })
}

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import type { Mailer } from './mailer.ts'

type MailSettings = Pick<Config, 'dataDir' | 'mailFrom' | 'smtpUrl'>
type MailDeps = Pick<Deps, 'clock' | 'log'>

/**
 * Tells whether this server sends mail. If not, each email becomes a file that only the operator
 * reads, and nothing may promise one to anybody else.
 */
export function sendsMail({ smtpUrl }: Pick<Config, 'smtpUrl'>): boolean {
  return smtpUrl !== null
}

/**
 * Creates the mailer that the settings ask for. If they name a mail server, it sends mail there.
 * Otherwise it writes each email to the folder `outbox`. The library for mail is loaded with the
 * first email, because it costs time and memory at the start.
 */
export function createMailer(settings: MailSettings, deps: MailDeps): Mailer {
  let loading: Promise<Mailer> | undefined

  const loaded = (): Promise<Mailer> => {
    loading ??= loadMailer(settings, deps).catch((error) => {
      // The next mail tries again. Perhaps the process had too many open files.
      loading = undefined
      throw error
    })
    return loading
  }

  return {
    send: async (mail) => (await loaded()).send(mail),
    check: async () => (await loaded()).check(),
    close: () =>
      void loading?.then(
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
    const { smtpMailer } = await import('./smtp.ts')
    return smtpMailer({ url: smtpUrl, from: mailFrom })
  }
  const { outboxMailer } = await import('./outbox.ts')
  return outboxMailer({ folder: join(dataDir, 'outbox'), from: mailFrom, clock, log })
}

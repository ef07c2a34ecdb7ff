import { isLoopback } from '../http/hosts.ts'
import { printable, type Recipient } from './email.ts'
import type { RenderedEmail } from './render-email.ts'

export interface Mail {
  to: Recipient
  /** Who gets the answer if somebody answers the email. Without it, the sender gets it. */
  replyTo?: Recipient | undefined
  content: RenderedEmail
  /**
   * The Message-ID, `job-id@host`. It is the same for every attempt to send an email, so that mail
   * programs recognise a second copy.
   */
  messageId: string
}

/** Sends emails to a mail server, or writes them to a folder where no mail server is set. */
export interface Mailer {
  /**
   * Resolves when the mail server has accepted the email, or when the email is in the folder.
   * @throws {MailRefused} when no later attempt can succeed.
   * @throws {Error} when a later attempt may succeed.
   */
  send(mail: Mail): Promise<void>
  /**
   * Checks whether an email could be sent now, without sending any. Resolves when the mail server
   * has accepted the login, or when the folder is writable.
   */
  check(): Promise<void>
  close(): void
}

/** The mail server will never accept this email: its address does not exist, or it is refused. */
export class MailRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'MailRefused'
  }
}

/**
 * Keeps nodemailer from reading files and URLs for the content of an email. Our emails do not need
 * that, and an attacker could misuse it to read files of the server.
 */
export const noReading = { disableFileAccess: true, disableUrlAccess: true } as const

/** Returns an email in the form that nodemailer takes. */
export function messageOf({ to, replyTo, content, messageId }: Mail, from: string) {
  return {
    from,
    to: printableName(to),
    ...(replyTo && { replyTo: printableName(replyTo) }),
    ...content,
    messageId: `<${messageId}>`,
    // Asks programs not to answer the email (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

function printableName({ name, address }: Recipient): Recipient {
  return { name: printable(name), address }
}

/**
 * Tells whether mail and the password for it may be sent to the server of this URL without TLS:
 * to a server on this machine, or where the URL says `?requireTLS=false`. Everywhere else TLS is
 * required. If it were only used where the server offers it, an attacker in the network could
 * remove STARTTLS from the server's answer. Then the attacker could read the login, and the links
 * that open accounts.
 */
export function mayGoInClear(url: string): boolean {
  const { protocol, hostname, searchParams } = new URL(url)
  if (protocol !== 'smtp:') return false
  return isLoopback(hostname) || searchParams.get('requireTLS') === 'false'
}

/**
 * Removes `requireTLS` from the URL. In the library, this setting of the URL would replace the
 * option `requireTLS`, and other values than `false`, such as `0`, would turn it off too.
 */
export function withoutTlsSetting(url: string): string {
  const rest = new URL(url)
  rest.searchParams.delete('requireTLS')
  return rest.href
}

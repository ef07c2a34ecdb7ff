import { isLoopback } from '../http/hosts.ts'
import { type Recipient, toPrintableLine } from './email.ts'
import type { RenderedEmail } from './render-email.ts'

export interface Email {
  to: Recipient
  /** The Reply-To address. Defaults to the sender. */
  replyTo?: Recipient | undefined
  /** Where the recipient can stop such emails with one click (RFC 8058). */
  unsubscribeUrl?: string | undefined
  content: RenderedEmail
  /**
   * The Message-ID, `job-id@host`. It is the same for every attempt, so that mail clients can
   * detect duplicates.
   */
  messageId: string
}

/** Sends emails through a mail server, or writes them to a folder if none is configured. */
export interface Mailer {
  /**
   * Resolves when the mail server has accepted the email, or when it is written to the folder.
   * @throws {MailRejectedError} if a retry can't succeed.
   * @throws {Error} if a retry may succeed.
   */
  send(email: Email): Promise<void>
  /**
   * Checks whether email can be sent, without sending any. Resolves when the mail server has
   * accepted the login, or when the folder is writable.
   */
  check(): Promise<void>
  close(): void
}

/** Thrown if the mail server permanently rejects an email or its recipient. */
export class MailRejectedError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'MailRejectedError'
  }
}

/**
 * Keeps nodemailer from reading files and URLs as email content. Our emails don't need that, and an
 * attacker could use it to read the server's files.
 */
export const noFileAccess = { disableFileAccess: true, disableUrlAccess: true } as const

/** Converts an email to nodemailer's format. */
export function toMessage(email: Email, from: string) {
  const { to, replyTo, unsubscribeUrl, content, messageId } = email
  return {
    from,
    to: toPrintableRecipient(to),
    ...(replyTo && { replyTo: toPrintableRecipient(replyTo) }),
    ...content,
    messageId: `<${messageId}>`,
    // Prevents automatic replies (RFC 3834).
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}

function toPrintableRecipient({ name, address }: Recipient): Recipient {
  return { name: toPrintableLine(name), address }
}

/**
 * True if emails and the password may be sent to this URL's server without TLS, because the server
 * is on this machine or the URL has `?requireTLS=false`. Everywhere else TLS is required: with
 * opportunistic TLS, an attacker in the network could strip STARTTLS and read the password and the
 * links that open accounts.
 */
export function allowsPlaintext(url: string): boolean {
  const { protocol, hostname, searchParams } = new URL(url)
  if (protocol !== 'smtp:') return false
  return isLoopback(hostname) || searchParams.get('requireTLS') === 'false'
}

/**
 * Removes `requireTLS` from the URL. nodemailer would let it override the option `requireTLS`, and
 * would also read values such as `0` as `false`.
 */
export function removeTlsSetting(url: string): string {
  const parsedUrl = new URL(url)
  parsedUrl.searchParams.delete('requireTLS')
  return parsedUrl.href
}

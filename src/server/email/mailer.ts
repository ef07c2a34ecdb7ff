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

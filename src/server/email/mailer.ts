/**
 * Mail. The words of this room:
 * - A *letter* is the content of an email, in text and HTML.
 * - The *outbox* is the folder for mail where no mail server is set.
 */
import type { Letter } from './letter.ts'

/**
 * Who gets an email. People typed the name themselves, so a mailer must not parse it for an
 * address.
 */
export interface Recipient {
  name: string
  address: string
}

export interface Mail {
  to: Recipient
  /** Who gets the answer if somebody answers the email. Without it, the sender gets it. */
  replyTo?: Recipient | undefined
  letter: Letter
  /**
   * The Message-ID, `job-id@host`. It is the same for every try of one email, so that mail programs
   * recognise a second copy.
   */
  messageId: string
}

/** Sends mail to a mail server, or writes it to a folder where no mail server is set. */
export interface Mailer {
  /**
   * Resolves when the mail server has accepted the email, or when the email is in the folder.
   * @throws {MailRefused} when no later try can succeed.
   * @throws {Error} when a later try may succeed.
   */
  send(mail: Mail): Promise<void>
  /**
   * Checks whether mail could be sent now, without sending any. Resolves when the mail server has
   * answered and accepted the login, or when the outbox folder is writable. Rejects otherwise.
   */
  check(): Promise<void>
  close(): void
}

/**
 * The mail server will never take this email: the address does not exist, or the content is
 * refused.
 */
export class MailRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'MailRefused'
  }
}

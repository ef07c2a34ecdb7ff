/**
 * Mail. A *letter* is what a mail says, in text and HTML. The *outbox* is the folder in which mail lands where no
 * mail server is named.
 */
import type { Letter } from './letter.ts'

/** Who gets a letter. The name is text that people typed: no driver may read an address out of it. */
export interface Recipient {
  name: string
  address: string
}

export interface Mail {
  to: Recipient
  letter: Letter
  /** The same for each try of one mail, so that a second copy is recognised: `job-id@host`. */
  messageId: string
}

/** Puts mail on its way: over SMTP, or into a folder where no server is named. */
export interface Mailer {
  /**
   * Resolves when the mail is in other hands.
   * @throws {MailRefused} when no later try can succeed.
   * @throws {Error} when a later try may.
   */
  send(mail: Mail): Promise<void>
  close(): void
}

/** The server will never take this mail: the address does not exist, the content is refused. */
export class MailRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'MailRefused'
  }
}

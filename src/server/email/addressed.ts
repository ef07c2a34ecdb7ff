import type { LetterContent } from './letter.ts'
import type { Recipient } from './mailer.ts'

/** A letter and the person it is sent to. */
export interface Addressed {
  to: Recipient
  /** Who gets the answer if somebody answers the email. Without it, the sender gets it. */
  replyTo?: Recipient
  content: LetterContent
}

/** The account that a letter goes to. */
interface Account {
  email: string
  firstName: string
  /**
   * Whether the owner has proved that they read the mail of this address: by a link in an email, or
   * through Google.
   */
  emailVerified: boolean
}

/**
 * Returns the name to greet the owner by, or null where the address is not verified. Otherwise
 * anyone could sign up with a stranger's address, and send the stranger words in place of a name.
 */
export function nameOf({ emailVerified, firstName }: Account): string | null {
  return emailVerified ? firstName : null
}

/**
 * Returns the account as the recipient of a letter. The name is empty where `nameOf` gives none.
 */
export function recipientOf(account: Account): Recipient {
  return { name: nameOf(account) ?? '', address: account.email }
}

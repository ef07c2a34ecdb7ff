import type { LetterContent } from './letter.ts'
import type { Recipient } from './mailer.ts'

/** A letter and its recipient. */
export interface Addressed {
  to: Recipient
  content: LetterContent
}

/** The account that a letter goes to. */
interface Account {
  email: string
  firstName: string
  /** Whether the account's owner has proved to read the mail of this address. */
  emailVerified: boolean
}

/**
 * Returns the name for a letter, but only if the address is verified. Otherwise anyone could sign
 * up with a stranger's address and put words for the stranger in the name.
 */
export function nameOf({ emailVerified, firstName }: Account): string | null {
  return emailVerified ? firstName : null
}

export function recipientOf(account: Account): Recipient {
  return { name: nameOf(account) ?? '', address: account.email }
}

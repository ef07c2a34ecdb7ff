/** Who gets an email. People typed the name themselves, so it is never parsed for an address. */
export interface Recipient {
  name: string
  address: string
}

/** A block of an email. The blocks are in reading order, from the greeting to the last sentence. */
export type Block =
  | { kind: 'paragraph'; text: string; strong?: string }
  /** Something less important, in smaller type. */
  | { kind: 'note'; text: string }
  /** The one button of an email. Its URL is repeated below it as text. */
  | { kind: 'button'; label: string; href: string; note: string }

export interface EmailContent {
  subject: string
  /** The text that an inbox shows beside the subject. */
  preview: string
  heading: string
  blocks: readonly Block[]
}

/** An email that is ready to be rendered and sent. */
export interface OutgoingEmail {
  to: Recipient
  /** Whether the owner of the address has proved to receive its emails. */
  isVerified: boolean
  /** Who gets the answer if somebody answers the email. Without it, the sender gets it. */
  replyTo?: Recipient
  content: EmailContent
}

/** The account that an email goes to. */
interface Account {
  email: string
  firstName: string
  emailVerified: boolean
}

/**
 * Returns the name to greet the owner by, or null if the address is not verified. Otherwise anyone
 * could sign up with a stranger's address, and send the stranger words in place of a name.
 */
export function nameOf({ emailVerified, firstName }: Account): string | null {
  return emailVerified ? firstName : null
}

/** Returns an email to the owner of an account. */
export function emailToOwner(account: Account, content: EmailContent): OutgoingEmail {
  const to = { name: nameOf(account) ?? '', address: account.email }
  return { to, isVerified: account.emailVerified, content }
}

/** Returns an email to the support address. */
export function emailToSupport(
  { supportEmail }: { supportEmail: string },
  content: EmailContent,
): OutgoingEmail {
  return { to: { name: 'Mayfly support', address: supportEmail }, isVerified: true, content }
}

/** Returns the first words of an email. */
export function greeting(name: string | null): string {
  return name === null ? 'Hello,' : `Hello ${name},`
}

const lineBreaks = /[\n\r\t\u2028\u2029]+/g
const invisible = /[\p{Cc}\p{Bidi_Control}]/gu

/**
 * Makes one printable line of a text that a user may have typed: without control characters, and
 * without those that reorder text.
 */
export function printable(text: string): string {
  return text.replace(lineBreaks, ' ').replace(invisible, '')
}

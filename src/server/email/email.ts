/**
 * The recipient of an email. Users type the name themselves, so it is never parsed for an address.
 */
export interface Recipient {
  name: string
  address: string
}

export type Block =
  | { kind: 'paragraph'; text: string; strong?: string }
  /** Secondary text in smaller type, with a link at its end. */
  | { kind: 'note'; text: string; link?: { label: string; href: string } }
  /** What somebody else wrote, set off from our own text. */
  | { kind: 'quote'; lines: readonly string[] }
  /** The email's only button. Its URL is repeated below it as text. */
  | { kind: 'button'; label: string; href: string; note: string }

const maxListed = 10

/** Returns blocks for the first items, and one that counts the rest. */
export function limitedBlocks<Item>(
  items: readonly Item[],
  toBlock: (item: Item) => Block,
): Block[] {
  const blocks = items.slice(0, maxListed).map((item) => toBlock(item))
  const hiddenCount = items.length - maxListed
  return hiddenCount > 0 ? [...blocks, { kind: 'note', text: `and ${hiddenCount} more` }] : blocks
}

/** Replaces our name and color in an email that is sent for a user. */
export interface EmailBrand {
  /** Empty if there is only a logo. */
  name: string
  /** The color of the button, as `#rrggbb`. */
  accent: string | null
  /** Its dimensions are in pixels. */
  logo: { url: string; width: string; height: string; alt: string } | null
}

export interface EmailContent {
  subject: string
  /** The text that an inbox shows next to the subject. */
  preview: string
  heading: string
  blocks: readonly Block[]
  brand?: EmailBrand
}

/** An email that is ready to be rendered and sent. */
export interface OutgoingEmail {
  to: Recipient
  /** True if the recipient's email address is verified. */
  isVerified: boolean
  /** The Reply-To address. Defaults to the sender. */
  replyTo?: Recipient
  /** Where the recipient can stop such emails (RFC 8058). */
  unsubscribeUrl?: string
  content: EmailContent
}

interface Account {
  email: string
  firstName: string
  emailVerified: boolean
}

/**
 * Returns the name for the greeting, or null if the email address is unverified. With a name,
 * anyone could sign up with a stranger's address and send the stranger arbitrary text.
 */
export function greetingName({ emailVerified, firstName }: Account): string | null {
  return emailVerified ? firstName : null
}

/**
 * Creates an email to an account's owner. The owner is addressed by name only if the email address
 * is verified.
 */
export function emailToOwner(account: Account, content: EmailContent): OutgoingEmail {
  const to = { name: greetingName(account) ?? '', address: account.email }
  return { to, isVerified: account.emailVerified, content }
}

export function emailToSupport(
  { supportEmail }: { supportEmail: string },
  content: EmailContent,
): OutgoingEmail {
  return { to: { name: 'Mayfly support', address: supportEmail }, isVerified: true, content }
}

export function createGreeting(name: string | null): string {
  return name === null ? 'Hello,' : `Hello ${name},`
}

const lineBreaks = /[\n\r\t\u2028\u2029]+/g
const controlCharacters = /[\p{Cc}\p{Bidi_Control}]/gu

/**
 * Turns user-supplied text into one printable line, without control characters or characters that
 * reorder text.
 */
export function toPrintableLine(text: string): string {
  return text.replace(lineBreaks, ' ').replace(controlCharacters, '')
}

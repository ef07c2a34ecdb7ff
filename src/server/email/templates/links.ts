import { formatCount } from '../../../shared/rules/format/numbers.ts'
import type { Block, EmailContent } from '../email.ts'

/** What the email says about a link's files. What isn't known yet is null. */
interface SentFiles {
  /** The link's title, or the names of its files. */
  name: string | null
  count: number | null
  /** The size of all files, as formatted text. */
  size: string | null
}

/**
 * The email that sends a link to somebody who may not know us. Our own words say who sends it, with
 * the address of the account. Whatever the sender chose is quoted.
 */
export function linkEmail(details: {
  sender: {
    name: string
    email: string
    /** The name of the sender's brand, which replaces the sender's own in the subject. */
    brand: string | null
  }
  /** The sender's message: plain text with one or more lines. */
  message: string | null
  /** Null for a link with a password, whose content the email doesn't reveal. */
  files: SentFiles | null
  /** When the link expires, as formatted text. Null while files are being uploaded. */
  endsAt: string | null
  url: string
  /** The name of this server. */
  host: string
  optOutUrl: string
}): EmailContent {
  const { sender, message, files, endsAt, url, host, optOutUrl } = details
  const shownName = sender.brand ?? sender.name
  const title = `${shownName} sent you ${whatText(files)}`
  const blocks: (Block | null)[] = [
    { kind: 'paragraph', text: `${sender.name} (${sender.email}) sent this with ${host}.` },
    files === null
      ? {
          kind: 'paragraph',
          text: `The link needs a password. Ask ${sender.name} for it, if you don't have it yet.`,
        }
      : { kind: 'paragraph', text: nameText(files) },
    files !== null && files.count === null
      ? { kind: 'paragraph', text: 'Some files are still being uploaded. The page shows how many.' }
      : null,
    message === null ? null : { kind: 'paragraph', text: `${sender.name} writes:` },
    message === null ? null : { kind: 'quote', lines: message.split('\n') },
    {
      kind: 'button',
      label: 'Open the link',
      href: url,
      note: `The link leads to ${host}${endsAt === null ? '' : ` and works until ${endsAt}`}.`,
    },
    {
      kind: 'note',
      text: `You get this email because ${sender.name} entered your address. If you don't trust it, don't open the link, but`,
      link: { label: 'report it', href: `${url}/report` },
    },
    {
      kind: 'note',
      text: "Don't want links by email from anyone here?",
      link: { label: 'Stop these emails', href: optOutUrl },
    },
  ]
  return {
    subject: title,
    preview: `${sender.email} sent this with ${host}.`,
    heading: title,
    blocks: blocks.filter((block) => block !== null),
  }
}

function whatText(files: SentFiles | null): string {
  if (files === null) return 'a link'
  if (files.count === null) return 'files'
  return files.count === 1 ? 'a file' : formatCount(files.count, 'file')
}

/** Quotes the name, so that it can't be taken for our own text. */
function nameText({ name, size }: SentFiles): string {
  const quotedName = name === null ? 'Files' : `“${name}”`
  return size === null ? quotedName : `${quotedName}, ${size}`
}

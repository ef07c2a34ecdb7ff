import type { FileEmail } from '../../../shared/rules/files/file-emails.ts'
import { type Block, createGreeting, type EmailContent, limitedBlocks } from '../email.ts'

interface NamedLink {
  /** As returned by `linkName`. */
  name: string
  /** When the link expires, as formatted text. */
  endsAt: string
  /** True while the link is active. */
  isOpen: boolean
}

interface EmailText {
  title: (count: number) => string
  advice: string
}

const emailTexts: Readonly<Record<FileEmail, EmailText>> = {
  'first-download': {
    title: (count) => `${yourLinksText(count)} downloaded for the first time`,
    advice: 'The File Manager shows how often each link is downloaded.',
  },
  'link-ends': {
    title: (count) =>
      count === 1
        ? '1 of your links expires within a day'
        : `${count} of your links expire within a day`,
    advice: 'Renew a link to keep its files longer. It then gets a new address.',
  },
}

/**
 * An email about the owner's links, of a kind that the owner enabled in the File Manager's
 * settings.
 */
export function fileEmail(
  kind: FileEmail,
  details: {
    /** Null if the address is unverified, because a stranger may have chosen the name. */
    name: string | null
    /** If false, the email only states the number of links. */
    namesFiles: boolean
    /** Contains at least one link. */
    links: readonly NamedLink[]
    /** The URL of the page with the setting for this email. */
    fileManager: string
  },
): EmailContent {
  const { links } = details
  const { advice, ...text } = emailTexts[kind]
  const title = text.title(links.length)
  return {
    subject: title,
    preview: advice,
    heading: title,
    blocks: [
      { kind: 'paragraph', text: `${createGreeting(details.name)} ${title}.` },
      ...(details.namesFiles ? limitedBlocks(links, linkBlock) : []),
      { kind: 'paragraph', text: advice },
      {
        kind: 'button',
        label: 'Open the File Manager',
        href: details.fileManager,
        note: 'You asked for this email in the settings of the File Manager. You can turn it off there.',
      },
    ],
  }
}

/** The notification to an owner about files that were taken down. */
export function takedownEmail(details: {
  /** Null if the address is unverified, because a stranger may have chosen the name. */
  name: string | null
  /** The file names that the email may mention. */
  fileNames: readonly string[]
  /** Number of files taken down. */
  count: number
  /** Plain text with one or more lines. */
  reason: string
  /** When the files were taken down, as formatted text. */
  takenDownAt: string
  supportEmail: string
}): EmailContent {
  const { name, fileNames, count, reason, takenDownAt, supportEmail } = details
  const title = `${yourFilesText(count)} taken down`
  const linksText = count === 1 ? 'Its link is closed' : 'Their links are closed'
  const [firstLine = '', ...otherLines] = reason.split('\n').filter((line) => line.trim() !== '')
  return {
    subject: title,
    preview: 'What happened, why, and whom to write to if it was a mistake.',
    heading: title,
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(name)} on ${takenDownAt} ${title}. ${linksText}, and the content is being deleted.`,
      },
      ...limitedBlocks(fileNames, (text) => ({ kind: 'paragraph', text })),
      { kind: 'paragraph', strong: 'The reason:', text: firstLine },
      ...otherLines.map((text) => ({ kind: 'paragraph' as const, text })),
      {
        kind: 'paragraph',
        text: 'The same content cannot be uploaded here again, under any name.',
      },
      {
        kind: 'paragraph',
        strong: 'Do you think this is a mistake?',
        text: `Answer this email, or write to ${supportEmail}.`,
      },
    ],
  }
}

function yourLinksText(count: number): string {
  return count === 1 ? '1 of your links was' : `${count} of your links were`
}

function yourFilesText(count: number): string {
  return count === 1 ? '1 of your files was' : `${count} of your files were`
}

function linkBlock({ name, endsAt, isOpen }: NamedLink): Block {
  return { kind: 'paragraph', strong: name, text: `${isOpen ? 'until' : 'expired'} ${endsAt}` }
}

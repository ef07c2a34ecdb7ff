import { formatSize } from '../../shared/rules/file-size.ts'
import { shortName } from '../ui/split-name.ts'

export interface ShareMail {
  fileName: string
  /** Bytes. */
  fileSize: number
  /** The short link, absolute. */
  link: string
  expiresAt: Date
  /** What the administrator set; empty leaves it out. */
  signature: string
  /** Where the sender sits; the browser's own zone without it. */
  timeZone?: string
}

/** Subjects are shown on one line; a longer name is cut in the middle. */
const subjectNameLength = 60

/** A moment with its day, time and zone, since the receiver may sit in another one. */
function untilText(moment: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat('en', {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(moment)
}

/**
 * A `mailto:` address that opens a mail about a link (RFC 6068): no receiver, a subject and a body
 * with name, size, link, until when, and the signature. Whatever the name or the signature holds,
 * it stays text: nothing can add a receiver or a header.
 */
export function shareMailAddress(mail: ShareMail): string {
  const subject = `A file for you: ${shortName(mail.fileName, subjectNameLength)}`
  const body = [
    `${mail.fileName} (${formatSize(mail.fileSize)})`,
    '',
    mail.link,
    '',
    `The link works until ${untilText(mail.expiresAt, mail.timeZone)}.`,
    ...(mail.signature.trim() ? ['', mail.signature.trim()] : []),
  ].join('\n')
  return `mailto:?subject=${encoded(subject)}&body=${encoded(body)}`
}

/** RFC 6068 §5: lines end with %0D%0A. Half a surrogate pair would make encoding throw. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed().replace(/\r\n?|\n/g, '\r\n'))
}

import { formatSize } from '../../shared/rules/format/file-size.ts'
import { shortName } from '../ui/file-name.tsx'

export interface ShareMail {
  fileName: string
  /** In bytes. */
  fileSize: number
  /** The short link as an absolute URL. */
  link: string
  expiresAt: Date
  /** The administrator's signature. If it is empty, the email has none. */
  signature: string
  /** The time zone of the sender; by default the browser's own. */
  timeZone?: string
}

/** In characters. A subject should be one line, so a longer file name is cut in the middle. */
const subjectNameLength = 60

const formats = new Map<string | undefined, Intl.DateTimeFormat>()

/**
 * Returns the format of `untilText`. It is kept, because every row of a list needs it, and to make
 * it takes much longer than to use it.
 */
function untilFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en', {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  })
  formats.set(timeZone, format)
  return format
}

/**
 * Writes a moment in full, with its year and time zone. An email may be read in another zone and
 * much later, so it does not use the short form of the pages (`localMomentText`).
 */
function untilText(moment: Date, timeZone: string | undefined): string {
  return untilFormat(timeZone).format(moment)
}

/**
 * Returns a `mailto:` address that opens an email about a link (RFC 6068). The email has no
 * receiver. It has a subject, and a body with name, size, link, the link's end and the signature.
 * Name and signature are always encoded as text, so they cannot add a receiver or a header.
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

/** RFC 6068 §5: lines end with %0D%0A. A lone surrogate would make the encoding throw. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed().replace(/\r\n?|\n/g, '\r\n'))
}

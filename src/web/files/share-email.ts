import { formatSize } from '../../shared/rules/format/file-size.ts'
import { shortName } from '../ui/file-name.tsx'

export interface ShareEmail {
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

/** A longer file name is cut in the subject, which should be one line. */
const subjectNameLength = 60

/**
 * Writes a moment with its year and time zone, since an email may be read much later and elsewhere.
 */
function untilText(moment: Date, timeZone: string | undefined): string {
  return moment.toLocaleString('en', {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  })
}

/**
 * Returns a `mailto:` URL for an email about a link (RFC 6068), without a recipient. The file name
 * and the signature are encoded, so they cannot add a recipient or a header.
 */
export function shareEmailUrl(email: ShareEmail): string {
  const subject = `A file for you: ${shortName(email.fileName, subjectNameLength)}`
  const body = [
    `${email.fileName} (${formatSize(email.fileSize)})`,
    '',
    email.link,
    '',
    `The link works until ${untilText(email.expiresAt, email.timeZone)}.`,
    ...(email.signature.trim() ? ['', email.signature.trim()] : []),
  ].join('\n')
  return `mailto:?subject=${encoded(subject)}&body=${encoded(body)}`
}

/** RFC 6068 §5: lines end with %0D%0A. A lone surrogate would make the encoding throw. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed().replace(/\r\n?|\n/g, '\r\n'))
}

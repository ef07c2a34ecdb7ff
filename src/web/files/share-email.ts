import { formatSize } from '../../shared/rules/format/file-size.ts'
import { shortName } from '../ui/file-name.tsx'

export interface ShareEmail {
  fileName: string
  /** In bytes. */
  fileSize: number
  /** The short link as an absolute URL. */
  link: string
  expiresAt: Date
  /** The administrator's signature. Omitted if empty. */
  signature: string
  /** The sender's time zone. Defaults to the browser's. */
  timeZone?: string
}

/** Longer file names are shortened in the subject to keep it on one line. */
const subjectNameLength = 60

/**
 * Formats a time with its year and time zone, since an email may be read much later or elsewhere.
 */
function expiryText(date: Date, timeZone: string | undefined): string {
  return date.toLocaleString('en', {
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
 * and signature are encoded, so they can't inject recipients or headers.
 */
export function shareEmailUrl(email: ShareEmail): string {
  const subject = `A file for you: ${shortName(email.fileName, subjectNameLength)}`
  const body = [
    `${email.fileName} (${formatSize(email.fileSize)})`,
    '',
    email.link,
    '',
    `The link works until ${expiryText(email.expiresAt, email.timeZone)}.`,
    ...(email.signature.trim() ? ['', email.signature.trim()] : []),
  ].join('\n')
  return `mailto:?subject=${encode(subject)}&body=${encode(body)}`
}

/** RFC 6068 §5: lines end with %0D%0A. `encodeURIComponent` throws on lone surrogates. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed().replace(/\r\n?|\n/g, '\r\n'))
}

import { formatSize } from '../../shared/rules/format/file-size.ts'
import { shortName } from '../ui/file-name.tsx'

export interface ShareEmail {
  /** The link's name, which is the file's name if there is only one. */
  name: string
  fileCount: number
  /** In bytes. */
  totalSize: number
  /** The short link as an absolute URL. */
  link: string
  expiresAt: Date
  /** The administrator's signature. Omitted if empty. */
  signature: string
  /** The time zone for the expiry time. Defaults to the browser's. */
  timeZone?: string
}

/** Names longer than this are shortened to keep the subject on one line. */
const maxSubjectNameLength = 60

/**
 * Formats a time with its year and time zone, because the email may be read much later or in
 * another time zone.
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
 * Returns a `mailto:` URL for an email about a link (RFC 6068), without a recipient. The name and
 * signature are encoded, so they can't inject recipients or headers.
 */
export function shareEmailUrl(email: ShareEmail): string {
  const noun = email.fileCount === 1 ? 'A file' : 'Files'
  const subject = `${noun} for you: ${shortName(email.name, maxSubjectNameLength)}`
  const body = [
    `${email.name} (${formatSize(email.totalSize)})`,
    '',
    email.link,
    '',
    `The link works until ${expiryText(email.expiresAt, email.timeZone)}.`,
    ...(email.signature.trim() ? ['', email.signature.trim()] : []),
  ].join('\n')
  return `mailto:?subject=${encodeMailtoText(subject)}&body=${encodeMailtoText(body)}`
}

/**
 * RFC 6068 §5 requires %0D%0A as the line break. Lone surrogates are replaced, because
 * `encodeURIComponent` throws on them.
 */
function encodeMailtoText(text: string): string {
  return encodeURIComponent(text.toWellFormed().replace(/\r\n?|\n/g, '\r\n'))
}

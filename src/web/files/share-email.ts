import { formatSize } from '../../shared/rules/format/file-size.ts'
import { shortName } from '../ui/file-name.tsx'
import type { ListedLink } from './listed-link.ts'

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
 * @param url the link as an absolute URL.
 * @param signature the administrator's signature. Omitted if empty.
 * @param timeZone the time zone for the expiry time. Defaults to the browser's.
 */
export function shareEmailUrl(
  {
    name,
    files,
    totalSize,
    expiresAt,
  }: Pick<ListedLink, 'name' | 'files' | 'totalSize' | 'expiresAt'>,
  url: string,
  signature: string,
  timeZone?: string,
): string {
  const noun = files.length === 1 ? 'A file' : 'Files'
  const subject = `${noun} for you: ${shortName(name, maxSubjectNameLength)}`
  const body = [
    `${name} (${formatSize(totalSize)})`,
    '',
    url,
    '',
    `The link works until ${expiryText(new Date(expiresAt), timeZone)}.`,
    ...(signature.trim() ? ['', signature.trim()] : []),
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

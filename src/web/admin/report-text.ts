import type { Report } from '../../shared/contract/abuse.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { pastTimestampText } from '../../shared/rules/format/timestamp-text.ts'

/**
 * Describes how often and when a file was reported, as in 'reported 3 times, last today, 10:14:00'.
 */
export function reportSummary(
  { count, lastReportedAt }: Pick<Report, 'count' | 'lastReportedAt'>,
  now: Date,
): string {
  const lastReportText = pastTimestampText(new Date(lastReportedAt), now)
  return count === 1
    ? `reported once, ${lastReportText}`
    : `reported ${formatCount(count, 'time')}, last ${lastReportText}`
}

/** Says how many other files have the same content. Returns null if there are none. */
export function copiesText(copies: number): string | null {
  return copies === 0 ? null : `${formatCount(copies, 'other file')} with the same content`
}

/** The takedown warning shown if nothing but the file's link is known. */
export const linkTakedownWarning =
  'Its link ends at once and its contents are deleted. The same content cannot be uploaded again. Other files with it are taken down too.'

/** Describes what a takedown does to the file and to other files with the same content. */
export function takedownWarning({ openCode, copies, size }: Report['file']): string {
  const linkSentence =
    openCode === null
      ? 'Its link has ended already.'
      : 'Its link ends at once and its contents are deleted.'
  if (size === 0) return `${linkSentence} It is empty, so empty files can still be uploaded.`
  const otherFilesSentence =
    copies === 0
      ? ''
      : copies === 1
        ? ' The other file with it is taken down too.'
        : ` The ${copies.toLocaleString('en')} other files with it are taken down too.`
  return `${linkSentence} The same content cannot be uploaded again.${otherFilesSentence}`
}

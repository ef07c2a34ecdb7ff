import { sum } from 'd3-array'
import type { Analytics } from '../../shared/contract/analytics.ts'
import type { FileKind } from '../../shared/rules/files/file-kind.ts'
import type { DayCount } from '../../shared/rules/format/day.ts'
import { formatCount, groupDigits } from '../../shared/rules/format/numbers.ts'
import { dayText } from '../../shared/rules/format/timestamp-text.ts'
import { shortName } from '../ui/file-name.tsx'

/** Longer file names are truncated in the middle. */
const maxNameLength = 40

/** Display names for the kinds of files (spec §2). */
export const kindNames: Readonly<Record<FileKind, string>> = {
  image: 'Images',
  video: 'Videos',
  audio: 'Audio',
  pdf: 'PDFs',
  archive: 'Archives',
  document: 'Documents',
  other: 'Other files',
}

/**
 * Sums up downloads per day in a sentence, such as '412 downloads in 30 days, most on 12 Nov'.
 * @param today dates in its year are shown without the year.
 */
export function summarizeDownloads(days: readonly DayCount[], today: string): string {
  const total = sum(days, ({ count }) => count)
  const periodText = `in ${formatCount(days.length, 'day')}`
  if (total === 0) return `No downloads ${periodText}`
  const totalText = `${formatCount(total, 'download')} ${periodText}`
  const maxCount = Math.max(...days.map(({ count }) => count))
  const [peak, secondPeak] = days.filter(({ count }) => count === maxCount)
  if (!peak || secondPeak) return `${totalText}, at most ${groupDigits(maxCount)} a day`
  const quantifier = maxCount < total ? 'most ' : total > 1 ? 'all ' : ''
  return `${totalText}, ${quantifier}on ${dayText(peak.day, today)}`
}

/** The number and total size, in bytes, of a user's files of one kind. */
export type KindCount = Analytics['kinds'][number]

/**
 * Returns a rounded percentage, or 'under 1%' or 'over 99%' where rounding would show 0% or 100%.
 */
function percentText(part: number, total: number): string {
  const roundedPercent = Math.round((part / total) * 100)
  if (part < total && roundedPercent === 100) return 'over 99%'
  if (part > 0 && roundedPercent === 0) return 'under 1%'
  return `${roundedPercent}%`
}

/** Says which kind of file uses the most space, as in 'Videos take up 61% of the space'. */
export function summarizeKinds(kinds: readonly KindCount[]): string {
  const total = sum(kinds, ({ count }) => count)
  if (total === 0) return 'No files yet'
  const size = sum(kinds, (kind) => kind.size)
  const [largestKind] = kinds.toSorted((a, b) => b.size - a.size)
  if (!largestKind || size === 0) return formatCount(total, 'file')
  const name = largestKind.kind === 'audio' ? 'Audio files' : kindNames[largestKind.kind]
  return `${name} take up ${percentText(largestKind.size, size)} of the space`
}

/** Isolates a name so that right-to-left text doesn't reorder the sentence. */
function isolateName({ originalName }: { originalName: string }): string {
  return `\u2068${shortName(originalName, maxNameLength)}\u2069`
}

/**
 * Says which file was downloaded most, as in 'press-kit.zip leads with 231 downloads'.
 * @param files the most downloaded files, in descending order.
 */
export function summarizeMostDownloaded(
  files: readonly { originalName: string; downloadCount: number }[],
): string {
  const [first, second] = files
  if (!first) return 'No file has been downloaded yet'
  const countText = formatCount(first.downloadCount, 'download')
  return second?.downloadCount === first.downloadCount
    ? `No file has more than ${countText}`
    : `${isolateName(first)} leads with ${countText}`
}

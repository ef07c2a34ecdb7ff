import { sum } from 'd3-array'
import type { FileKind } from '../../shared/rules/files/file-kind.ts'
import type { DayCount } from '../../shared/rules/format/day.ts'
import { dayText } from '../../shared/rules/format/moment-text.ts'
import { formatCount } from '../charts/format-count.ts'
import { shortName } from '../ui/file-name.tsx'

/** A file name with more characters than this is cut in the middle. */
const longestName = 40

/** Spec §2: the names of the kinds of files, as titles. */
export const kindNames: Readonly<Record<FileKind, string>> = {
  image: 'Images',
  video: 'Videos',
  audio: 'Audio',
  pdf: 'PDFs',
  archive: 'Archives',
  document: 'Documents',
  other: 'Other files',
}

/** The names of the kinds in a sentence about several files. */
const kindsInSentence: Readonly<Record<FileKind, string>> = {
  ...kindNames,
  audio: 'Audio files',
}

/** The names of the kinds in a sentence about one file. */
const oneInSentence: Readonly<Record<FileKind, string>> = {
  image: 'One image',
  video: 'One video',
  audio: 'One audio file',
  pdf: 'One PDF',
  archive: 'One archive',
  document: 'One document',
  other: 'One other file',
}

function downloads(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'download' : 'downloads'}`
}

function files(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'file' : 'files'}`
}

/**
 * Returns a sentence about the downloads of these days: how many, and on which day there were most.
 * Example: '412 downloads in 30 days, most on 12 Nov'.
 * @param today the day whose year is left out.
 */
export function downloadsFinding(days: readonly DayCount[], today: string): string {
  const total = sum(days, ({ count }) => count)
  const within = `in ${days.length} ${days.length === 1 ? 'day' : 'days'}`
  if (total === 0) return `No downloads ${within}`
  const most = Math.max(...days.map(({ count }) => count))
  const peaks = days.filter(({ count }) => count === most).map(({ day }) => dayText(day, today))
  const start = `${downloads(total)} ${within}`
  if (most === total) return `${start}, ${total === 1 ? '' : 'all '}on ${peaks[0]}`
  // If more than two days share the highest count, the sentence gives that count and names no day.
  if (peaks.length > 2) return `${start}, at most ${formatCount(most)} a day`
  return `${start}, most on ${peaks.join(' and ')}`
}

/** How many files of one kind a user has. `size` is the bytes of all these files. */
export interface KindCount {
  kind: FileKind
  count: number
  size: number
}

/**
 * Returns a share in percent, rounded to a whole number. The result is 100% only if the share is
 * the whole, and 0% only if it is nothing.
 */
function percent(part: number, whole: number): string {
  const rounded = Math.round((part / whole) * 100)
  if (part < whole && rounded === 100) return 'over 99%'
  if (part > 0 && rounded === 0) return 'under 1%'
  return `${rounded}%`
}

/**
 * Returns a sentence about the kind with the most bytes. Example: 'Videos are 14 of 128 files and
 * 61% of the size'.
 */
export function kindsFinding(kinds: readonly KindCount[]): string {
  const total = sum(kinds, ({ count }) => count)
  const size = sum(kinds, (one) => one.size)
  const [first, second] = kinds
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.size - a.size || b.count - a.count)
  if (!first) return 'No files yet'
  if (!second) {
    return total === 1
      ? `${oneInSentence[first.kind]} so far`
      : `All ${files(total)} are ${kindsInSentence[first.kind].replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())}`
  }
  // If the first two kinds are equal in size and count, the sentence names neither.
  if (first.size === second.size && first.count === second.count) {
    return `${files(total)} of ${kinds.filter(({ count }) => count > 0).length} kinds`
  }
  const share = size === 0 ? '' : ` and ${percent(first.size, size)} of the size`
  return first.count === 1
    ? `${oneInSentence[first.kind]} is 1 of ${files(total)}${share}`
    : `${kindsInSentence[first.kind]} are ${formatCount(first.count)} of ${files(total)}${share}`
}

/**
 * Returns a name for use inside a sentence, between two invisible marks. They keep a name that is
 * written from right to left from reordering the rest of the sentence.
 */
function quoted({ originalName }: { originalName: string }): string {
  return `\u2068${shortName(originalName, longestName)}\u2069`
}

/**
 * Returns a sentence about the file with the most downloads. Example: 'press-kit.zip leads with 231
 * downloads'.
 * @param most the files with the most downloads, the most downloaded first.
 */
export function mostDownloadedFinding(
  most: readonly { originalName: string; downloadCount: number }[],
): string {
  const [first, second, third] = most
  if (!first) return 'No file has been downloaded yet'
  const count = first.downloadCount
  if (second?.downloadCount !== count) return `${quoted(first)} leads with ${downloads(count)}`
  if (third?.downloadCount !== count) {
    return `${quoted(first)} and ${quoted(second)} lead with ${downloads(count)} each`
  }
  return `No file has more than ${downloads(count)}`
}

import { sum } from 'd3-array'
import type { DayCount } from '../../shared/rules/day.ts'
import { dayText } from '../../shared/rules/day-text.ts'
import type { FileKind } from '../../shared/rules/file-kind.ts'
import { formatCount } from '../charts/format-count.ts'
import { shortName } from '../ui/split-name.ts'

/** Longer names are cut in the middle, in letters. */
const longestName = 40

/** Spec §2: the names of the kinds, and of what is left over. */
export const kindNames: Readonly<Record<FileKind, string>> = {
  image: 'Images',
  video: 'Videos',
  audio: 'Audio',
  pdf: 'PDFs',
  archive: 'Archives',
  document: 'Documents',
  other: 'Other files',
}

/** The same for sentences about several files. */
const kindsInSentence: Readonly<Record<FileKind, string>> = {
  ...kindNames,
  audio: 'Audio files',
}

/** The same about one file. */
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
 * Says how many downloads some days had, and on which most: '412 downloads in 30 days, most on 12
 * Nov'.
 */
export function downloadsFinding(days: readonly DayCount[]): string {
  const total = sum(days, ({ count }) => count)
  const within = `in ${days.length} ${days.length === 1 ? 'day' : 'days'}`
  if (total === 0) return `No downloads ${within}`
  const most = Math.max(...days.map(({ count }) => count))
  const peaks = days.filter(({ count }) => count === most).map(({ day }) => dayText(day))
  const start = `${downloads(total)} ${within}`
  if (most === total) return `${start}, ${total === 1 ? '' : 'all '}on ${peaks[0]}`
  // More than two days would make a list. Then the sentence tells how many, and not when.
  if (peaks.length > 2) return `${start}, at most ${formatCount(most)} a day`
  return `${start}, most on ${peaks.join(' and ')}`
}

/** Files of one kind. The size is in bytes. */
export interface KindCount {
  kind: FileKind
  count: number
  size: number
}

/** Returns a share in whole percent. Only the whole is 100%, and only nothing is 0%. */
function percent(part: number, whole: number): string {
  const rounded = Math.round((part / whole) * 100)
  if (part < whole && rounded === 100) return 'over 99%'
  if (part > 0 && rounded === 0) return 'under 1%'
  return `${rounded}%`
}

/** Says which kind is the largest: 'Videos are 14 of 128 files and 61% of the size'. */
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
  // Two kinds of the same size: neither is the largest.
  if (first.size === second.size && first.count === second.count) {
    return `${files(total)} of ${kinds.filter(({ count }) => count > 0).length} kinds`
  }
  const share = size === 0 ? '' : ` and ${percent(first.size, size)} of the size`
  return first.count === 1
    ? `${oneInSentence[first.kind]} is 1 of ${files(total)}${share}`
    : `${kindsInSentence[first.kind]} are ${formatCount(first.count)} of ${files(total)}${share}`
}

/** A name inside a sentence. The marks around it keep its direction of writing to itself. */
function quoted({ originalName }: { originalName: string }): string {
  return `\u2068${shortName(originalName, longestName)}\u2069`
}

/**
 * Says which file has the most downloads: 'press-kit.zip leads with 231 downloads'. The files are
 * those with the most downloads, in order.
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

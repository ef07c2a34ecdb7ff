import { formatSize } from '../../../shared/rules/format/file-size.ts'
import type { Interruption } from '../interruption.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { isCancelled } from '../upload-errors.ts'
import type { UploadsState } from '../uploads-state.ts'

/**
 * Which uploads the panel shows. `background`: only paused uploads, those of other tabs and those
 * of the background path (spec §4), since the dashboard shows its own foreground uploads itself.
 */
export type Listed = 'all' | 'background'

/** The order of the panel: running uploads, then those that need a person. */
const rank: Record<UploadStatus, number> = {
  uploading: 0,
  paused: 1,
  failed: 1,
  pending: 2,
  completed: 3,
}

/** Returns the uploads of the panel in the order of `rank`, oldest first within a rank. */
export function panelRecords(
  records: readonly UploadRecord[],
  elsewhere: ReadonlySet<string>,
  listed: Listed,
): UploadRecord[] {
  const isListed = ({ id, path, status }: UploadRecord) =>
    listed === 'all' || path === 'background' || status === 'paused' || elsewhere.has(id)
  return records.filter(isListed).sort((a, b) => rank[a.status] - rank[b.status])
}

/** How many uploads have each status. A cancelled upload does not count as failed. */
export type Counts = Record<UploadStatus | 'cancelled', number>

export function countByStatus(records: readonly Pick<UploadRecord, 'status' | 'error'>[]): Counts {
  const counts = { pending: 0, uploading: 0, paused: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const record of records) counts[isCancelled(record) ? 'cancelled' : record.status] += 1
  return counts
}

/** Returns why no upload makes progress, or null while any does. */
export function interruptionOfAll(
  records: readonly Pick<UploadRecord, 'id' | 'status'>[],
  live: UploadsState['live'],
): Interruption | null {
  const why = ({ id }: Pick<UploadRecord, 'id'>) => live[id]?.interrupted ?? null
  // An upload without an entry in `live` still waits for its turn to be sent.
  const begun = records.filter(({ id, status }) => status === 'uploading' && live[id])
  const uploading = begun.map(why)
  const pending = records.filter(({ status }) => status === 'pending').map(why)
  if (uploading.includes(null)) return null
  const reasons = [...uploading, ...pending].filter((one) => one !== null)
  // If any upload got an answer, the connection works. A full disk comes first, because somebody
  // must free space.
  const answered = reasons.filter((one) => one !== 'no-answer')
  return answered.find((one) => one === 'disk-full') ?? answered[0] ?? reasons[0] ?? null
}

/** The text of the panel's header while no upload makes progress. */
const waitTexts: Record<Interruption, string> = {
  'no-answer': 'Waiting for the connection',
  'not-ready': 'Waiting for the server',
  busy: 'Waiting for the server',
  'disk-full': 'Waiting for space on the server',
}

function several(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/**
 * Returns the text of the panel's header: the running uploads or, without those, the uploads that
 * need a person, or else how all uploads ended.
 * @param interruption why no upload makes progress; null while any does.
 */
export function summaryText(counts: Counts, interruption: Interruption | null): string {
  const { pending, uploading, paused, completed } = counts
  if (uploading + pending === 0) return stoppedText(counts)
  if (interruption) return waitTexts[interruption]
  return `Uploading ${completed + 1} of ${pending + uploading + paused + completed}`
}

/**
 * Returns the text that a screen reader announces. Unlike the header it doesn't count up, so that a
 * large drop isn't announced file by file.
 */
export function spokenSummary(counts: Counts, interruption: Interruption | null): string {
  const { pending, uploading, completed } = counts
  if (uploading + pending === 0) return stoppedText(counts)
  if (interruption) return waitTexts[interruption]
  const running = `Uploading ${several(pending + uploading + completed, 'file')}`
  return [running, ...needsText(counts)].join(', ')
}

/** Says how many uploads need a person. */
function needsText({ paused, failed }: Counts): string[] {
  return [
    ...(paused > 0 ? [`${several(paused, 'upload')} paused`] : []),
    ...(failed > 0 ? [`${paused > 0 ? failed : several(failed, 'upload')} failed`] : []),
  ]
}

function stoppedText(counts: Counts): string {
  const { completed, cancelled } = counts
  const needs = needsText(counts)
  if (needs.length > 0) return needs.join(', ')
  return completed === 0 && cancelled > 0
    ? `${several(cancelled, 'upload')} cancelled`
    : `${several(completed, 'file')} uploaded`
}

/** Returns a speed such as '11.4 MB/s'; null if it is unknown or 0. */
export function speedText(bytesPerSecond: number | null): string | null {
  return bytesPerSecond !== null && bytesPerSecond >= 1 ? `${formatSize(bytesPerSecond)}/s` : null
}

const minuteInSeconds = 60
const hourInSeconds = 60 * minuteInSeconds
const dayInSeconds = 24 * hourInSeconds

/** Returns how long the rest of an upload takes at this speed; null if unknown. */
export function transferTimeLeft(
  { fileSize, uploadedBytes }: Pick<UploadRecord, 'fileSize' | 'uploadedBytes'>,
  bytesPerSecond: number | null,
): string | null {
  const left = fileSize - uploadedBytes
  if (!bytesPerSecond || bytesPerSecond <= 0 || left <= 0) return null
  const seconds = Math.ceil(left / bytesPerSecond)
  if (seconds < minuteInSeconds) return `${seconds} s left`
  if (seconds < hourInSeconds) return `${Math.ceil(seconds / minuteInSeconds)} min left`
  if (seconds >= dayInSeconds) return 'More than a day left'
  const minutes = Math.ceil(seconds / minuteInSeconds)
  const rest = minutes % 60
  return rest === 0 ? `${minutes / 60} h left` : `${Math.floor(minutes / 60)} h ${rest} min left`
}

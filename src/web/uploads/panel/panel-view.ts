import { formatSize } from '../../../shared/rules/file-size.ts'
import type { Interruption } from '../interruption.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { isCancelled } from '../upload-errors.ts'
import type { UploadsState } from '../uploads-state.ts'

/**
 * Which uploads the panel shows. `all`: all of them (spec §4). `background`: those of the background path
 * and those that are paused, on a page that draws the foreground path itself.
 */
export type Listed = 'all' | 'background'

function isListed({ path, status }: UploadRecord, listed: Listed): boolean {
  return listed === 'all' || path === 'background' || status === 'paused'
}

/** First what moves, then what needs a person, then what waits for its turn, then what is done. */
const rank: Record<UploadStatus, number> = {
  uploading: 0,
  paused: 1,
  failed: 1,
  pending: 2,
  completed: 3,
}

/** The uploads of the panel in the order it lists them; within a rank, oldest first. */
export function panelRecords(records: readonly UploadRecord[], listed: Listed): UploadRecord[] {
  return records
    .filter((record) => isListed(record, listed))
    .sort((a, b) => rank[a.status] - rank[b.status])
}

/** How many uploads there are in each state. What a person cancelled did not fail. */
export type Counts = Record<UploadStatus | 'cancelled', number>

export function countByStatus(records: readonly Pick<UploadRecord, 'status' | 'error'>[]): Counts {
  const counts = { pending: 0, uploading: 0, paused: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const record of records) counts[isCancelled(record) ? 'cancelled' : record.status] += 1
  return counts
}

/** Why no upload that is under way gets through; null while any does. */
export function interruptionOfAll(
  records: readonly Pick<UploadRecord, 'id' | 'status'>[],
  live: UploadsState['live'],
): Interruption | null {
  const why = ({ id }: Pick<UploadRecord, 'id'>) => live[id]?.interrupted ?? null
  const uploading = records.filter(({ status }) => status === 'uploading').map(why)
  const pending = records.filter(({ status }) => status === 'pending').map(why)
  if (uploading.includes(null)) return null
  const lost = [...uploading, ...pending].filter((one) => one !== null)
  // Where one of them got an answer, the connection is there.
  return lost.find((one) => one === 'not-ready') ?? lost[0] ?? null
}

function several(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/**
 * The panel in a line: what runs, else what needs a person, else how it ended.
 * @param interruption why no upload gets through; null while any does.
 */
export function summaryText(counts: Counts, interruption: Interruption | null): string {
  const { pending, uploading, paused, completed, failed, cancelled } = counts
  if (uploading + pending > 0) {
    if (interruption === 'no-answer') return 'Waiting for the connection'
    if (interruption === 'not-ready') return 'Waiting for the server'
    return `Uploading ${completed + 1} of ${pending + uploading + paused + completed}`
  }
  const waits = [
    ...(paused > 0 ? [`${several(paused, 'upload')} paused`] : []),
    ...(failed > 0
      ? [paused > 0 ? `${failed} failed` : `${several(failed, 'upload')} failed`]
      : []),
  ]
  if (waits.length > 0) return waits.join(', ')
  return completed === 0 && cancelled > 0
    ? `${several(cancelled, 'upload')} cancelled`
    : `${several(completed, 'file')} uploaded`
}

/** The speed, such as '11.4 MB/s'; null where it is unknown or nothing moves. */
export function speedText(bytesPerSecond: number | null): string | null {
  return bytesPerSecond !== null && bytesPerSecond >= 1 ? `${formatSize(bytesPerSecond)}/s` : null
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** How long the rest of an upload takes at this speed; null where that cannot be computed. */
export function timeLeftText(
  { fileSize, uploadedBytes }: Pick<UploadRecord, 'fileSize' | 'uploadedBytes'>,
  bytesPerSecond: number | null,
): string | null {
  const left = fileSize - uploadedBytes
  if (!bytesPerSecond || bytesPerSecond <= 0 || left <= 0) return null
  const seconds = Math.ceil(left / bytesPerSecond)
  if (seconds < minute) return `${seconds} s left`
  if (seconds < hour) return `${Math.ceil(seconds / minute)} min left`
  if (seconds >= day) return 'More than a day left'
  const minutes = Math.ceil(seconds / minute)
  const rest = minutes % 60
  return rest === 0 ? `${minutes / 60} h left` : `${Math.floor(minutes / 60)} h ${rest} min left`
}

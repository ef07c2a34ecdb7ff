import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { formatCount } from '../../../shared/rules/format/numbers.ts'
import type { Interruption } from '../interruption.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { isCancelled } from '../upload-errors.ts'
import type { UploadsState } from '../uploads-state.ts'

/**
 * Which uploads the panel lists. `background` is for the dashboard, which shows foreground uploads
 * itself. It includes only paused uploads, other tabs' uploads, and those on the background path
 * (spec §4).
 */
export type PanelScope = 'all' | 'background'

/** The panel's sort order: running uploads first, then those that need attention. */
const statusOrder: Record<UploadStatus, number> = {
  uploading: 0,
  paused: 1,
  failed: 1,
  pending: 2,
  completed: 3,
}

/** Returns the panel's uploads sorted by `statusOrder`, then oldest first. */
export function getPanelRecords(
  records: readonly UploadRecord[],
  otherTabIds: ReadonlySet<string>,
  scope: PanelScope,
): UploadRecord[] {
  const isShown = ({ id, path, status }: UploadRecord) =>
    scope === 'all' || path === 'background' || status === 'paused' || otherTabIds.has(id)
  return records.filter(isShown).sort((a, b) => statusOrder[a.status] - statusOrder[b.status])
}

/** Number of uploads by status. Cancelled uploads don't count as failed. */
export type Counts = Record<UploadStatus | 'cancelled', number>

export function countByStatus(records: readonly Pick<UploadRecord, 'status' | 'error'>[]): Counts {
  const counts = { pending: 0, uploading: 0, paused: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const record of records) counts[isCancelled(record) ? 'cancelled' : record.status] += 1
  return counts
}

/** Returns why no upload is making progress, or null if at least one is. */
export function getOverallInterruption(
  records: readonly Pick<UploadRecord, 'id' | 'status'>[],
  activity: UploadsState['activity'],
): Interruption | null {
  const getInterruption = ({ id }: Pick<UploadRecord, 'id'>) => activity[id]?.interruption ?? null
  // Uploads of other tabs have no activity here.
  const sending = records.filter(({ id, status }) => status === 'uploading' && activity[id])
  const pending = records.filter(({ status }) => status === 'pending')
  if (sending.some((record) => getInterruption(record) === null)) return null
  const reasons = [...sending, ...pending].map(getInterruption).filter((reason) => reason !== null)
  // Any response proves that the connection works. A full disk takes precedence, because someone
  // has to free space.
  const replies = reasons.filter((reason) => reason !== 'no-response')
  return replies.find((reason) => reason === 'disk-full') ?? replies[0] ?? reasons[0] ?? null
}

/** The panel's header text while no upload is making progress. */
const interruptionSummaries: Record<Interruption, string> = {
  'no-response': 'Waiting for the connection',
  'not-ready': 'Waiting for the server',
  busy: 'Waiting for the server',
  'disk-full': 'Waiting for space on the server',
}

/**
 * Returns the panel's header text. It describes the running uploads or, if there are none, those
 * that need attention; otherwise, it gives the overall result.
 * @param interruption why no upload is making progress; null if at least one is.
 */
export function summaryText(counts: Counts, interruption: Interruption | null): string {
  const { pending, uploading, paused, completed } = counts
  if (uploading + pending === 0) return describeResult(counts)
  if (interruption) return interruptionSummaries[interruption]
  return `Uploading ${completed + 1} of ${pending + uploading + paused + completed}`
}

/**
 * Returns the text for screen readers. Unlike the header text, it doesn't count up, so a large drop
 * isn't announced file by file.
 */
export function summaryAnnouncement(counts: Counts, interruption: Interruption | null): string {
  const { pending, uploading, completed } = counts
  if (uploading + pending === 0) return describeResult(counts)
  if (interruption) return interruptionSummaries[interruption]
  const runningText = `Uploading ${formatCount(pending + uploading + completed, 'file')}`
  return [runningText, ...describePausedAndFailed(counts)].join(', ')
}

function describePausedAndFailed({ paused, failed }: Counts): string[] {
  return [
    ...(paused > 0 ? [`${formatCount(paused, 'upload')} paused`] : []),
    ...(failed > 0 ? [`${paused > 0 ? failed : formatCount(failed, 'upload')} failed`] : []),
  ]
}

function describeResult(counts: Counts): string {
  const { completed, cancelled } = counts
  const attention = describePausedAndFailed(counts)
  if (attention.length > 0) return attention.join(', ')
  return completed === 0 && cancelled > 0
    ? `${formatCount(cancelled, 'upload')} cancelled`
    : `${formatCount(completed, 'file')} uploaded`
}

/** Returns a speed such as '11.4 MB/s'; null if it is unknown or 0. */
export function speedText(bytesPerSecond: number | null): string | null {
  return bytesPerSecond !== null && bytesPerSecond >= 1 ? `${formatSize(bytesPerSecond)}/s` : null
}

const minuteInSeconds = 60
const hourInSeconds = 60 * minuteInSeconds
const dayInSeconds = 24 * hourInSeconds

/** Returns the time left at this speed, or null if it can't be computed. */
export function formatTimeLeft(
  { fileSize, uploadedBytes }: Pick<UploadRecord, 'fileSize' | 'uploadedBytes'>,
  bytesPerSecond: number | null,
): string | null {
  const remainingBytes = fileSize - uploadedBytes
  if (!bytesPerSecond || bytesPerSecond <= 0 || remainingBytes <= 0) return null
  const seconds = Math.ceil(remainingBytes / bytesPerSecond)
  if (seconds < minuteInSeconds) return `${seconds} s left`
  if (seconds < hourInSeconds) return `${Math.ceil(seconds / minuteInSeconds)} min left`
  if (seconds >= dayInSeconds) return 'More than a day left'
  const minutes = Math.ceil(seconds / minuteInSeconds)
  const rest = minutes % 60
  return rest === 0 ? `${minutes / 60} h left` : `${Math.floor(minutes / 60)} h ${rest} min left`
}

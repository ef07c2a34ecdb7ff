import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'

/** What the progress of an upload is computed from. Sizes are bytes. */
export interface UploadShare {
  name: string
  size: number
  /** Bytes that are on their way or there. */
  sent: number
  status: UploadStatus
}

/** A paused upload counts as one that is still to do. */
export function shareOf({
  fileName,
  fileSize,
  uploadedBytes,
  status,
}: Pick<UploadRecord, 'fileName' | 'fileSize' | 'uploadedBytes' | 'status'>): UploadShare {
  return {
    name: fileName,
    size: fileSize,
    sent: uploadedBytes,
    status: status === 'paused' ? 'pending' : status,
  }
}

/** Spec §4: 'Finalizing {file}...' at 95% or more. */
const finalizingPercent = 95

const percent = (part: number, whole: number) => Math.floor((part / whole) * 100)

/** How much of one file is done, 0 to 100, rounded down; an empty file is all there at once. */
export const filePercent = ({ size, sent }: Pick<UploadShare, 'size' | 'sent'>): number =>
  size === 0 ? 100 : Math.min(100, Math.max(0, percent(sent, size)))

/**
 * The progress over all files by bytes, 0 to 100, rounded down (spec §4). Failed files count
 * neither as done nor as to do. Where no file has a byte, files are counted instead. It is 100 only
 * when every file is confirmed, not when the last byte has left.
 */
export const overallPercent = (uploads: readonly UploadShare[]): number => {
  const counted = uploads.filter(({ status }) => status !== 'failed')
  if (counted.length === 0) return 0
  const done = counted.filter(({ status }) => status === 'completed')
  if (done.length === counted.length) return 100
  const whole = counted.reduce((sum, { size }) => sum + size, 0)
  if (whole === 0) return percent(done.length, counted.length)
  const sent = counted.reduce(
    (sum, { status, size, sent }) => sum + (status === 'completed' ? size : Math.min(sent, size)),
    0,
  )
  return Math.min(99, Math.max(0, percent(sent, whole)))
}

/** Spec §4: at 95% or more it is about to become a file. */
export const isFinalizing = (upload: Pick<UploadShare, 'size' | 'sent'>): boolean =>
  filePercent(upload) >= finalizingPercent

/** Spec §4: 'Uploading {file}... {n}%', and 'Finalizing {file}...' at 95% or more. */
export const progressText = (upload: UploadShare): string =>
  isFinalizing(upload)
    ? `Finalizing ${upload.name}...`
    : `Uploading ${upload.name}... ${filePercent(upload)}%`

/**
 * The same for a screen reader, which would otherwise read every percent aloud: it changes with the
 * file, at each quarter, and when it is being finalized.
 */
export const spokenProgress = (upload: UploadShare): string => {
  if (isFinalizing(upload)) return progressText(upload)
  const quarter = Math.floor(filePercent(upload) / 25) * 25
  return quarter === 0 ? `Uploading ${upload.name}` : `Uploading ${upload.name}: ${quarter}%`
}

import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'

/** The values of one upload from which the progress is computed. Sizes are in bytes. */
export interface UploadShare {
  name: string
  size: number
  /** The number of bytes that were sent or are stored. */
  sent: number
  status: UploadStatus
}

/**
 * Returns the values of an upload's record that the progress depends on. A paused upload counts as
 * pending.
 */
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

function percent(part: number, whole: number) {
  return Math.floor((part / whole) * 100)
}

/** Returns the sent percentage of one file, 0 to 100, rounded down. An empty file counts as 100. */
export function filePercent({ size, sent }: Pick<UploadShare, 'size' | 'sent'>): number {
  return size === 0 ? 100 : Math.min(100, Math.max(0, percent(sent, size)))
}

/**
 * Returns the progress over all files by bytes, 0 to 100, rounded down. Failed files do not count.
 * If all files are empty, the function counts files instead of bytes. The result is 100 only when
 * every file is confirmed, not when the last byte is sent.
 */
export function overallPercent(uploads: readonly UploadShare[]): number {
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

/** Spec §4: true at 95% or more, when the upload is about to become a file. */
export function isFinalizing(upload: Pick<UploadShare, 'size' | 'sent'>): boolean {
  return filePercent(upload) >= finalizingPercent
}

/** Spec §4: 'Uploading {file}... {n}%', and 'Finalizing {file}...' at 95% or more. */
export function progressText(upload: UploadShare): string {
  return isFinalizing(upload)
    ? `Finalizing ${upload.name}...`
    : `Uploading ${upload.name}... ${filePercent(upload)}%`
}

/**
 * Returns the progress text for a screen reader. The text changes only with the file, at each
 * quarter, and at the end, because the screen reader reads every change aloud.
 */
export function spokenProgress(upload: UploadShare): string {
  if (isFinalizing(upload)) return progressText(upload)
  const quarter = Math.floor(filePercent(upload) / 25) * 25
  return quarter === 0 ? `Uploading ${upload.name}` : `Uploading ${upload.name}: ${quarter}%`
}

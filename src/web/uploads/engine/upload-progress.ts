import type { UploadRecord } from '../records/upload-record.ts'

/** Spec §4: 'Finalizing {file}...' at 95% or more. */
const finalizingPercent = 95

/**
 * Returns the overall progress in percent, rounded down: by bytes, or by the number of files if
 * they are all empty. Excludes failed files. Reaches 100 only when every file is confirmed.
 */
export function overallPercent(
  uploads: readonly Pick<UploadRecord, 'status' | 'fileSize' | 'uploadedBytes'>[],
): number {
  const nonFailed = uploads.filter(({ status }) => status !== 'failed')
  if (nonFailed.length === 0) return 0
  const completed = nonFailed.filter(({ status }) => status === 'completed')
  if (completed.length === nonFailed.length) return 100
  const totalBytes = nonFailed.reduce((sum, { fileSize }) => sum + fileSize, 0)
  const sentBytes = nonFailed.reduce((sum, { uploadedBytes }) => sum + uploadedBytes, 0)
  const fraction = totalBytes === 0 ? completed.length / nonFailed.length : sentBytes / totalBytes
  return Math.min(99, Math.floor(fraction * 100))
}

/** Spec §4: true at 95% or more, when the upload is about to be confirmed. */
export function isFinalizing({ progress }: Pick<UploadRecord, 'progress'>): boolean {
  return progress >= finalizingPercent
}

type NamedProgress = Pick<UploadRecord, 'fileName' | 'progress'>

/** Spec §4: 'Uploading {file}... {n}%', and 'Finalizing {file}...' at 95% or more. */
export function progressText(upload: NamedProgress): string {
  const { fileName, progress } = upload
  return isFinalizing(upload)
    ? `Finalizing ${fileName}...`
    : `Uploading ${fileName}... ${progress}%`
}

/**
 * Returns the progress text for screen readers. Because they announce every change, it changes only
 * with the file, at every 25%, and at the end.
 */
export function progressAnnouncement(upload: NamedProgress): string {
  if (isFinalizing(upload)) return progressText(upload)
  const reachedQuarter = Math.floor(upload.progress / 25) * 25
  const prefix = `Uploading ${upload.fileName}`
  return reachedQuarter === 0 ? prefix : `${prefix}: ${reachedQuarter}%`
}

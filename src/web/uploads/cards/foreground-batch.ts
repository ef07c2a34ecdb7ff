import { isUnderWay } from '../engine/upload-machine.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { isCancelled } from '../upload-errors.ts'
import type { UploadsState } from '../uploads-state.ts'

export interface ForegroundBatch {
  /** The files of the drop that runs, or of the one that ran last; what is paused waits elsewhere, and what was cancelled is gone. */
  batch: readonly UploadRecord[]
  /** The one that the progress text is about; undefined where nothing runs. */
  current: UploadRecord | undefined
}

/** What the page shows of the uploads of the foreground path (spec §4). */
export const foregroundBatch = (
  records: readonly UploadRecord[],
  live: UploadsState['live'],
): ForegroundBatch => {
  const shown = records.filter(
    (record) => record.path === 'foreground' && record.status !== 'paused' && !isCancelled(record),
  )
  const running = shown.filter(isUnderWay)
  const batches = new Set((running.length > 0 ? running : shown.slice(-1)).map((it) => it.batch))
  const batch = shown.filter((record) => batches.has(record.batch))
  if (running.length === 0) return { batch, current: undefined }
  const current =
    batch.find(({ status }) => status === 'uploading') ??
    // It has its turn, but gets no answer.
    running.find(({ id }) => live[id]?.interrupted) ??
    // In the pause between two files, the last one that was done.
    batch.findLast(({ status }) => status === 'completed') ??
    running[0]
  return { batch, current }
}

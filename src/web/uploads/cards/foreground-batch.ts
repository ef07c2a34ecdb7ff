import { isUnderWay } from '../engine/upload-machine.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { isCancelled } from '../upload-errors.ts'
import type { UploadsState } from '../uploads-state.ts'

export interface ForegroundBatch {
  /**
   * The uploads of all drops that have a waiting or running upload; if there is no such drop, those
   * of the last drop. Paused uploads are left out, because the uploads panel shows them. Cancelled
   * uploads are left out too.
   */
  batch: readonly UploadRecord[]
  /** The upload that the progress text names; undefined when no upload waits or runs. */
  current: UploadRecord | undefined
}

/** Selects what the page shows of the foreground uploads (spec §4). */
export function foregroundBatch(
  records: readonly UploadRecord[],
  live: UploadsState['live'],
): ForegroundBatch {
  const shown = records.filter(
    (record) => record.path === 'foreground' && record.status !== 'paused' && !isCancelled(record),
  )
  const running = shown.filter(isUnderWay)
  const batches = new Set((running.length > 0 ? running : shown.slice(-1)).map((it) => it.batch))
  const batch = shown.filter((record) => batches.has(record.batch))
  if (running.length === 0) return { batch, current: undefined }
  const current =
    batch.find(({ status }) => status === 'uploading') ??
    // If no upload is sending bytes, the text names one that waits to repeat its call of
    // get-upload-url.
    running.find(({ id }) => live[id]?.interrupted) ??
    // In the pause between two files, the text names the file that was stored last.
    batch.findLast(({ status }) => status === 'completed') ??
    running[0]
  return { batch, current }
}

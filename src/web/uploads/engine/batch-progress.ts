import type { UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { cancelledByUser, isCancelled } from '../upload-errors.ts'
import { dropNotice, type Notice } from '../upload-notices.ts'
import { isUnderWay } from './upload-machine.ts'
import { isLargeDrop } from './upload-queue.ts'

/**
 * How many uploads of a batch are in each state. A batch is all files that were added together, or
 * all foreground uploads (those whose progress the page shows) between two moments when none was
 * running.
 */
export interface BatchCounts {
  /** Uploads that are pending or uploading. */
  open: number
  /** Uploads that are open, stored or failed. Cancelled and paused ones are not counted. */
  counted: number
  stored: number
  failed: number
  /** True when a person cancelled the whole batch. */
  cancelled: boolean
}

export function noUploads(): BatchCounts {
  return { open: 0, counted: 0, stored: 0, failed: 0, cancelled: false }
}

/**
 * Returns the counts after one upload has changed. `before` is null for a new upload, `after` for a
 * removed one.
 */
export function countChange(
  counts: BatchCounts,
  before: Pick<UploadRecord, 'status'> | null,
  after: Pick<UploadRecord, 'status'> | null,
): BatchCounts {
  const wasOpen = isUnderWay(before)
  const isOpen = isUnderWay(after)
  if (wasOpen === isOpen) return counts
  if (isOpen) {
    // The upload failed in this batch and is tried again, so it is counted already.
    const retried = before?.status === 'failed' && counts.failed > 0
    return {
      ...counts,
      open: counts.open + 1,
      counted: counts.counted + (retried ? 0 : 1),
      failed: counts.failed - (retried ? 1 : 0),
    }
  }
  const isStored = after?.status === 'completed'
  const hasFailed = after?.status === 'failed'
  return {
    ...counts,
    open: counts.open - 1,
    counted: counts.counted - (isStored || hasFailed ? 0 : 1),
    stored: counts.stored + (isStored ? 1 : 0),
    failed: counts.failed + (hasFailed ? 1 : 0),
  }
}

/**
 * Returns the text that says how a batch ended. Null when no upload was stored and the batch was
 * not cancelled.
 */
export function outcomeText({ counted, stored, cancelled }: BatchCounts): string | null {
  if (cancelled) return cancelledByUser
  if (stored === 0) return null
  return stored === counted
    ? 'Upload completed successfully!'
    : `${stored} of ${counted} files uploaded`
}

/**
 * Counts the uploads of each drop (files that were added together), and the uploads of the
 * foreground path (see `upload-path.ts`) of all drops.
 */
export interface BatchProgress {
  /** Counts a new record. */
  added(record: UploadRecord): void
  /** Updates the counts after a record has changed; `after` is null when the record is removed. */
  changed(before: UploadRecord, after: UploadRecord | null): void
  /** Returns how many files were added together with this record's file, including it. */
  dropSize(record: UploadRecord): number
  /** Returns how many uploads are pending or uploading. */
  underWay(): number
  /**
   * Notes that all foreground uploads are cancelled together. Call it before they are cancelled.
   */
  cancelForeground(): void
  /**
   * Returns the text that says how the last foreground uploads ended, for two seconds (spec §4);
   * otherwise null.
   */
  outcome(): string | null
}

/** Spec §9: the text of a finished batch is reset after 2 s. */
const outcomeShownMs = 2000

/**
 * Creates the object that counts uploads.
 * @param tell called once for each large drop that has ended, with its notice.
 * @param onOutcome called whenever the text of `outcome` changes.
 */
export function createBatchProgress(
  timers: Timers,
  tell: (notice: Notice) => void,
  onOutcome: () => void,
): BatchProgress {
  const dropSizes = new Map<string, number>()
  const drops = new Map<string, BatchCounts>()
  /**
   * The counts of the foreground uploads of all drops. They start again at zero whenever a
   * foreground upload begins while no other one is pending or uploading.
   */
  let foreground = noUploads()
  let underWay = 0
  let outcome: string | null = null
  let stopReset = () => {}

  function changed(before: UploadRecord | null, after: UploadRecord | null) {
    const either = after ?? before
    const change = Number(isUnderWay(after)) - Number(isUnderWay(before))
    if (!either || change === 0) return
    underWay += change
    countDrop(either.batch, before, after)
    if (either.path === 'foreground') countForeground(before, after)
  }

  function countDrop(drop: string, before: UploadRecord | null, after: UploadRecord | null) {
    const counts = countChange(drops.get(drop) ?? noUploads(), before, after)
    if (counts.open > 0) {
      drops.set(drop, counts)
      return
    }
    drops.delete(drop)
    const { stored, failed } = counts
    const isTold = isLargeDrop(dropSizes.get(drop) ?? 0) && stored + failed > 0
    if (isTold) tell(dropNotice(stored, failed))
  }

  function countForeground(before: UploadRecord | null, after: UploadRecord | null) {
    if (foreground.open === 0) {
      foreground = noUploads()
      showOutcome(null)
    }
    foreground = countChange(foreground, before, after)
    if (foreground.open === 0) showOutcome(outcomeText(foreground))
  }

  function showOutcome(text: string | null) {
    stopReset()
    outcome = text
    onOutcome()
    if (text !== null) stopReset = timers.after(outcomeShownMs, () => showOutcome(null))
  }

  return {
    added: (record) => {
      dropSizes.set(record.batch, (dropSizes.get(record.batch) ?? 0) + 1)
      changed(null, record)
    },
    // A cancelled upload did not fail, so it is counted as removed.
    changed: (before, after) => changed(before, after && isCancelled(after) ? null : after),
    dropSize: ({ batch }) => dropSizes.get(batch) ?? 1,
    underWay: () => underWay,
    cancelForeground: () => {
      foreground = { ...foreground, cancelled: true }
    },
    outcome: () => outcome,
  }
}

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
export class BatchCounts {
  /** Uploads that are pending or uploading. */
  open = 0
  stored = 0
  /** True when a person cancelled the whole batch. */
  cancelled = false
  /** The ids of the uploads that failed in this batch and were not tried again since. */
  readonly #failed = new Set<string>()

  get failed(): number {
    return this.#failed.size
  }

  /** Uploads that are open, stored or failed. Cancelled and paused ones are not counted. */
  get counted(): number {
    return this.open + this.stored + this.failed
  }

  /**
   * Updates the counts after an upload has changed. `before` is null for a new upload, `after` for
   * a removed one.
   */
  change(
    id: string,
    before: Pick<UploadRecord, 'status'> | null,
    after: Pick<UploadRecord, 'status'> | null,
  ): void {
    const isOpen = isUnderWay(after)
    if (isUnderWay(before) === isOpen) return
    this.open += isOpen ? 1 : -1
    if (isOpen) this.#failed.delete(id)
    else if (after?.status === 'completed') this.stored += 1
    else if (after?.status === 'failed') this.#failed.add(id)
  }

  /**
   * Returns the text that says how the batch ended. Null when no upload was stored and the batch
   * was not cancelled.
   */
  outcome(): string | null {
    if (this.cancelled) return cancelledByUser
    if (this.stored === 0) return null
    return this.stored === this.counted
      ? 'Upload completed successfully!'
      : `${this.stored} of ${this.counted} files uploaded`
  }
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
  /**
   * Returns how many files were added together with this record's file, including it. After a
   * reload, those whose records were removed before it are not counted.
   */
  dropSize(record: UploadRecord): number
  /** Returns how many uploads are pending or uploading. */
  underWay(): number
  /**
   * Notes that all foreground uploads are cancelled together. Call it before they are cancelled.
   */
  cancelForeground(): void
  /**
   * Returns the text that says how the last foreground uploads ended, for two seconds (spec §9);
   * otherwise null.
   */
  outcome(): string | null
}

/** Spec §9: the text of a finished batch is reset after 2 s. */
const outcomeShownMs = 2000

/**
 * Creates the object that counts uploads.
 * @param tell called with the notice of a large drop each time that its last open upload has ended,
 * unless all its uploads were cancelled or paused.
 * @param onOutcome called whenever the text of `outcome` changes.
 */
export function createBatchProgress(
  timers: Timers,
  tell: (notice: Notice) => void,
  onOutcome: () => void,
): BatchProgress {
  /** The number of files of each drop. It is never removed, because drops are few. */
  const dropSizes = new Map<string, number>()
  const drops = new Map<string, BatchCounts>()
  /**
   * The counts of the foreground uploads of all drops. They start again at zero whenever a
   * foreground upload begins while no other one is pending or uploading.
   */
  let foreground = new BatchCounts()
  let underWay = 0
  let outcome: string | null = null
  let stopReset = () => {}

  const changed = (before: UploadRecord | null, after: UploadRecord | null) => {
    const either = after ?? before
    const change = Number(isUnderWay(after)) - Number(isUnderWay(before))
    if (!either || change === 0) return
    underWay += change
    countDrop(either, before, after)
    if (either.path === 'foreground') countForeground(either.id, before, after)
  }

  const countDrop = (
    { id, batch: drop }: UploadRecord,
    before: UploadRecord | null,
    after: UploadRecord | null,
  ) => {
    const counts = drops.get(drop) ?? new BatchCounts()
    counts.change(id, before, after)
    if (counts.open > 0) {
      drops.set(drop, counts)
      return
    }
    drops.delete(drop)
    const { stored, failed } = counts
    const isTold = isLargeDrop(dropSizes.get(drop) ?? 0) && stored + failed > 0
    if (isTold) tell(dropNotice(stored, failed))
  }

  const countForeground = (id: string, before: UploadRecord | null, after: UploadRecord | null) => {
    if (foreground.open === 0) {
      foreground = new BatchCounts()
      showOutcome(null)
    }
    foreground.change(id, before, after)
    if (foreground.open === 0) showOutcome(foreground.outcome())
  }

  const showOutcome = (text: string | null) => {
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
      foreground.cancelled = true
    },
    outcome: () => outcome,
  }
}

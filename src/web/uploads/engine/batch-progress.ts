import type { UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { cancelledText, isCancelled } from '../upload-errors.ts'
import { dropNotice, type Notice } from '../upload-notices.ts'
import { isLargeDrop } from './upload-runner.ts'
import { isActive } from './upload-state.ts'

/** Spec §9: a batch's outcome is shown for 2 s. */
const outcomeDisplayMs = 2000

/**
 * Upload counts for a batch: either one drop, or all foreground uploads from the first one added
 * until none is pending or running.
 */
class BatchCounts {
  /** Number of pending and running uploads. */
  openCount = 0
  storedCount = 0
  /** True if the user cancelled the whole batch. */
  isCancelled = false
  /** IDs of uploads that failed and weren't retried. */
  readonly failedIds = new Set<string>()

  count(before: UploadRecord | null, after: UploadRecord): void {
    const isOpen = isActive(after)
    const wasOpen = before !== null && isActive(before)
    if (wasOpen === isOpen) return
    this.openCount += isOpen ? 1 : -1
    if (isOpen) this.failedIds.delete(after.id)
    else if (after.status === 'completed') this.storedCount += 1
    // A cancelled upload is not a failure.
    else if (after.status === 'failed' && !isCancelled(after)) this.failedIds.add(after.id)
  }

  /** Returns the outcome text, or null if nothing was stored and the batch wasn't cancelled. */
  outcomeText(): string | null {
    if (this.isCancelled) return cancelledText
    if (this.storedCount === 0) return null
    return this.failedIds.size === 0
      ? 'Upload completed successfully!'
      : `${this.storedCount} of ${this.storedCount + this.failedIds.size} files uploaded`
  }
}

export interface BatchListener {
  /**
   * Called when the last unfinished upload in a large drop ends, and again after each retry. Not
   * called if every upload was cancelled or paused.
   */
  onNotice: (notice: Notice) => void
  /** Returns the number of files in this record's drop. */
  dropSize: (record: UploadRecord) => number
  /** Called when `outcome` changes. */
  onOutcome: () => void
}

/** Counts uploads for each drop, and for the foreground uploads of all drops together. */
export class BatchProgress {
  readonly #timers: Timers
  readonly #listener: BatchListener
  readonly #drops = new Map<string, BatchCounts>()
  #foreground = new BatchCounts()
  #outcome: string | null = null
  #stopReset = () => {}

  constructor(timers: Timers, listener: BatchListener) {
    this.#timers = timers
    this.#listener = listener
  }

  /**
   * The last foreground batch's outcome, for 2 s after the batch ends (spec §9); otherwise null.
   */
  get outcome(): string | null {
    return this.#outcome
  }

  /** Updates the counts after an upload was added (`before` is null) or changed. */
  update(before: UploadRecord | null, after: UploadRecord): void {
    this.#countDrop(before, after)
    if (after.path === 'foreground') this.#countForeground(before, after)
  }

  /** Marks the foreground batch as cancelled. Call before cancelling its uploads. */
  cancelForeground(): void {
    this.#foreground.isCancelled = true
  }

  #countDrop(before: UploadRecord | null, after: UploadRecord): void {
    const counts = this.#drops.get(after.batch) ?? new BatchCounts()
    const wasOpen = counts.openCount > 0
    counts.count(before, after)
    if (counts.openCount > 0) {
      this.#drops.set(after.batch, counts)
      return
    }
    this.#drops.delete(after.batch)
    const { storedCount, failedIds } = counts
    const needsNotice = wasOpen && storedCount + failedIds.size > 0
    if (needsNotice && isLargeDrop(this.#listener.dropSize(after))) {
      this.#listener.onNotice(dropNotice(storedCount, failedIds.size))
    }
  }

  #countForeground(before: UploadRecord | null, after: UploadRecord): void {
    const wasOpen = this.#foreground.openCount > 0
    const counts = wasOpen ? this.#foreground : new BatchCounts()
    counts.count(before, after)
    const isOpen = counts.openCount > 0
    if (wasOpen || isOpen) this.#foreground = counts
    if (wasOpen !== isOpen) this.#setOutcome(wasOpen ? counts.outcomeText() : null)
  }

  #setOutcome(text: string | null): void {
    this.#stopReset()
    this.#outcome = text
    this.#listener.onOutcome()
    if (text !== null) {
      this.#stopReset = this.#timers.runAfter(outcomeDisplayMs, () => this.#setOutcome(null))
    }
  }
}

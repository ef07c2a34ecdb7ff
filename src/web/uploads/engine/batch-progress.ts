import type { UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { cancelledByUser, isCancelled } from '../upload-errors.ts'
import { dropNotice, type Notice } from '../upload-notices.ts'
import { isLargeDrop } from './upload-runner.ts'
import { isUnderWay } from './upload-state.ts'

/** Spec §9: the text of a finished batch is reset after 2 s. */
const outcomeShownMs = 2000

/**
 * How many uploads of a batch are in each state. A batch is all files that were added together, or
 * all foreground uploads (those whose progress the page shows) between two moments when none was
 * running.
 */
class BatchCounts {
  /** Uploads that are pending or uploading. */
  open = 0
  stored = 0
  /** True when a person cancelled the whole batch. */
  isCancelled = false
  /** The ids of the uploads that failed in this batch and were not tried again since. */
  readonly failed = new Set<string>()

  change(before: UploadRecord | null, after: UploadRecord): void {
    const isOpen = isUnderWay(after)
    const wasOpen = before !== null && isUnderWay(before)
    if (wasOpen === isOpen) return
    this.open += isOpen ? 1 : -1
    if (isOpen) this.failed.delete(after.id)
    else if (after.status === 'completed') this.stored += 1
    // A cancelled upload did not fail, so it is not counted.
    else if (after.status === 'failed' && !isCancelled(after)) this.failed.add(after.id)
  }

  /**
   * Returns the text that says how the batch ended. Null when no upload was stored and the batch
   * was not cancelled.
   */
  outcome(): string | null {
    if (this.isCancelled) return cancelledByUser
    if (this.stored === 0) return null
    return this.failed.size === 0
      ? 'Upload completed successfully!'
      : `${this.stored} of ${this.stored + this.failed.size} files uploaded`
  }
}

export interface BatchListener {
  /**
   * Called with the notice of a large drop each time that its last open upload has ended, unless
   * all its uploads were cancelled or paused.
   */
  tell: (notice: Notice) => void
  /** Returns how many files were added together with this record's file, including it. */
  dropSize: (record: UploadRecord) => number
  /** Called whenever the text of `outcome` changes. */
  onOutcome: () => void
}

/** Counts the uploads of each drop, and the uploads of the foreground path of all drops. */
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
   * Returns the text that says how the last foreground uploads ended, for two seconds (spec §9);
   * otherwise null.
   */
  get outcome(): string | null {
    return this.#outcome
  }

  /** Updates the counts after an upload was added (`before` is null) or changed. */
  changed(before: UploadRecord | null, after: UploadRecord): void {
    this.#countDrop(before, after)
    if (after.path === 'foreground') this.#countForeground(before, after)
  }

  /**
   * Notes that all foreground uploads are cancelled together. Call it before they are cancelled.
   */
  cancelForeground(): void {
    this.#foreground.isCancelled = true
  }

  #countDrop(before: UploadRecord | null, after: UploadRecord): void {
    const counts = this.#drops.get(after.batch) ?? new BatchCounts()
    const wasOpen = counts.open > 0
    counts.change(before, after)
    if (counts.open > 0) {
      this.#drops.set(after.batch, counts)
      return
    }
    this.#drops.delete(after.batch)
    const { stored, failed } = counts
    const isTold = wasOpen && stored + failed.size > 0
    if (isTold && isLargeDrop(this.#listener.dropSize(after))) {
      this.#listener.tell(dropNotice(stored, failed.size))
    }
  }

  #countForeground(before: UploadRecord | null, after: UploadRecord): void {
    const wasOpen = this.#foreground.open > 0
    const counts = wasOpen ? this.#foreground : new BatchCounts()
    counts.change(before, after)
    const isOpen = counts.open > 0
    if (wasOpen || isOpen) this.#foreground = counts
    if (wasOpen !== isOpen) this.#show(wasOpen ? counts.outcome() : null)
  }

  #show(text: string | null): void {
    this.#stopReset()
    this.#outcome = text
    this.#listener.onOutcome()
    if (text !== null) {
      this.#stopReset = this.#timers.after(outcomeShownMs, () => this.#show(null))
    }
  }
}

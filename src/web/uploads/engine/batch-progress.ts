import type { UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { cancelledText, isCancelled } from '../upload-errors.ts'
import { dropNotice, type Notice } from '../upload-notices.ts'
import type { UploadList } from './upload-list.ts'
import { isLargeDrop } from './upload-runner.ts'
import { isActive } from './upload-state.ts'

/** Spec §9: a drop's outcome is shown for 2 s. */
const outcomeDisplayMs = 2000

export interface BatchDeps {
  timers: Timers
  list: Pick<UploadList, 'drop' | 'isClaimed'>
  /**
   * Called when the last unfinished upload in a large drop ends, and again after each retry. Not
   * called if every upload was cancelled or paused.
   */
  onNotice: (notice: Notice) => void
  /** Called when `outcome` changes. */
  onOutcome: () => void
}

/** Reports how a drop has ended. */
export class BatchProgress {
  readonly #deps: BatchDeps
  #outcome: string | null = null
  #stopReset = () => {}

  constructor(deps: BatchDeps) {
    this.#deps = deps
  }

  /** How a foreground drop has ended, for 2 s (spec §9); otherwise null. */
  get outcome(): string | null {
    return this.#outcome
  }

  /** Call after an upload was added to the list (`before` is null) or changed in it. */
  update(before: UploadRecord | null, after: UploadRecord): void {
    const { list, onNotice } = this.#deps
    const wasActive = before !== null && isActive(before)
    if (wasActive === isActive(after)) return
    const isForeground = after.path === 'foreground'
    if (!wasActive) {
      if (isForeground) this.#setOutcome(null)
      return
    }
    const drop = list.drop(after)
    if (drop.some((record) => isActive(record) && list.isClaimed(record.id))) return
    const stored = drop.filter(({ status }) => status === 'completed').length
    // A cancelled upload is not a failure.
    const failed = drop.filter(
      (record) => record.status === 'failed' && !isCancelled(record),
    ).length
    if (isLargeDrop(drop.length) && stored + failed > 0) onNotice(dropNotice(stored, failed))
    if (isForeground) this.#setOutcome(isCancelled(after) ? cancelledText : toText(stored, failed))
  }

  #setOutcome(text: string | null): void {
    const { timers, onOutcome } = this.#deps
    this.#stopReset()
    this.#outcome = text
    onOutcome()
    if (text !== null) {
      this.#stopReset = timers.runAfter(outcomeDisplayMs, () => this.#setOutcome(null))
    }
  }
}

/** Returns the outcome text, or null if nothing was stored. */
function toText(stored: number, failed: number): string | null {
  if (stored === 0) return null
  return failed === 0
    ? 'Upload completed successfully!'
    : `${stored} of ${stored + failed} files uploaded`
}

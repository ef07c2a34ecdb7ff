import type { UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { isCancelled } from '../upload-errors.ts'
import { dropNotice, type Notice } from '../upload-notices.ts'
import { outcomeText } from './upload-progress.ts'
import { isUnderWay } from './upload-steps.ts'
import { count, emptyTally, type Tally } from './upload-tally.ts'
import { isLargeDrop } from './upload-turns.ts'

/** Spec §9: the text of a finished batch is reset after 2 s. */
const outcomeShownMs = 2000

/** What is reckoned over several uploads, kept change by change. */
export interface UploadAccounts {
  /** A record that was not there before. */
  added(record: UploadRecord): void
  /** A record changed; null where it is no longer there. */
  changed(before: UploadRecord, after: UploadRecord | null): void
  /** How many files its drop has had. */
  dropSize(record: UploadRecord): number
  /** How many uploads are pending or uploading. */
  underWay(): number
  /** What is under way on the foreground path is about to be cancelled as a whole. */
  cancelForeground(): void
  /** How the last foreground uploads ended, for two seconds (spec §4). */
  outcome(): string | null
}

/**
 * @param tell tells of a large drop as a whole when it has ended.
 * @param onOutcome the outcome is another one now.
 */
export const createAccounts = (
  timers: Timers,
  tell: (notice: Notice) => void,
  onOutcome: () => void,
): UploadAccounts => {
  const dropSizes = new Map<string, number>()
  const drops = new Map<string, Tally>()
  /** From the first foreground upload under way to the last, over drops. */
  let foreground = emptyTally()
  let open = 0
  let outcome: string | null = null
  let callOff = () => {}

  const show = (text: string | null) => {
    callOff()
    outcome = text
    onOutcome()
    if (text !== null) callOff = timers.after(outcomeShownMs, () => show(null))
  }

  const countDrop = (batch: string, before: UploadRecord | null, after: UploadRecord | null) => {
    const tally = count(drops.get(batch) ?? emptyTally(), before, after)
    if (tally.open > 0) {
      drops.set(batch, tally)
      return
    }
    drops.delete(batch)
    const { stored, failed } = tally
    const isTold = isLargeDrop(dropSizes.get(batch) ?? 0) && stored + failed > 0
    if (isTold) tell(dropNotice(stored, failed))
  }

  const countForeground = (before: UploadRecord | null, after: UploadRecord | null) => {
    if (foreground.open === 0) {
      foreground = emptyTally()
      show(null)
    }
    foreground = count(foreground, before, after)
    if (foreground.open === 0) show(outcomeText(foreground))
  }

  const changed = (before: UploadRecord | null, after: UploadRecord | null) => {
    const either = after ?? before
    const change = Number(isUnderWay(after)) - Number(isUnderWay(before))
    if (!either || change === 0) return
    open += change
    countDrop(either.batch, before, after)
    if (either.path === 'foreground') countForeground(before, after)
  }

  return {
    added: (record) => {
      dropSizes.set(record.batch, (dropSizes.get(record.batch) ?? 0) + 1)
      changed(null, record)
    },
    // What was cancelled did not fail: for what is reckoned here it is gone.
    changed: (before, after) => changed(before, after && isCancelled(after) ? null : after),
    dropSize: ({ batch }) => dropSizes.get(batch) ?? 1,
    underWay: () => open,
    cancelForeground: () => {
      if (foreground.open > 0) foreground = { ...foreground, cancelled: true }
    },
    outcome: () => outcome,
  }
}

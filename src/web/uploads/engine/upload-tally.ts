import type { UploadRecord } from '../records/upload-record.ts'
import { isUnderWay } from './upload-steps.ts'

/** How the uploads that belong together are doing, from the first that is under way to the last. */
export interface Tally {
  /** Pending or uploading. */
  open: number
  /** Open, stored or failed; what was cancelled or paused is no longer counted. */
  counted: number
  stored: number
  failed: number
  /** A person ended all of it at once. */
  cancelled: boolean
}

export const emptyTally = (): Tally => ({
  open: 0,
  counted: 0,
  stored: 0,
  failed: 0,
  cancelled: false,
})

/** Counts a change of one upload; null stands for one that is not there yet or no longer. */
export const count = (
  tally: Tally,
  before: Pick<UploadRecord, 'status'> | null,
  after: Pick<UploadRecord, 'status'> | null,
): Tally => {
  const wasOpen = isUnderWay(before)
  const isOpen = isUnderWay(after)
  if (wasOpen === isOpen) return tally
  if (isOpen) {
    const retried = before?.status === 'failed' && tally.failed > 0
    return {
      ...tally,
      open: tally.open + 1,
      counted: tally.counted + (retried ? 0 : 1),
      failed: tally.failed - (retried ? 1 : 0),
    }
  }
  const isStored = after?.status === 'completed'
  const hasFailed = after?.status === 'failed'
  return {
    ...tally,
    open: tally.open - 1,
    counted: tally.counted - (isStored || hasFailed ? 0 : 1),
    stored: tally.stored + (isStored ? 1 : 0),
    failed: tally.failed + (hasFailed ? 1 : 0),
  }
}

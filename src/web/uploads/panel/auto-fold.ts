import type { UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { isCancelled } from '../upload-errors.ts'

/** The panel folds to its header this long after its last upload completed. */
export const foldAfterMs = 5000

/** The same where an upload failed, so that there is time to read why. */
const foldAfterFailureMs = 20_000

/** The panel leaves the page this long after its last upload completed. */
export const leaveAfterMs = 60_000

/**
 * Returns in how many milliseconds the panel folds; 0 when it should be folded already, null when
 * it must not fold. It folds only after all uploads have ended, because a paused upload needs a
 * person.
 */
export function foldsInMs(records: readonly UploadRecord[], now: number): number | null {
  const left = records.filter((record) => !isCancelled(record))
  const haveEnded = left.every(({ status }) => status === 'completed' || status === 'failed')
  if (left.length === 0 || !haveEnded) return null
  const hasFailed = left.some(({ status }) => status === 'failed')
  return remainingMs(left, hasFailed ? foldAfterFailureMs : foldAfterMs, now)
}

/**
 * Returns in how many milliseconds the panel leaves the page; 0 when it should have left already,
 * null when it must stay. A failed upload keeps it there, because a person can try again.
 */
export function leavesInMs(records: readonly UploadRecord[], now: number): number | null {
  const left = records.filter((record) => !isCancelled(record))
  if (left.length === 0 || left.some(({ status }) => status !== 'completed')) return null
  return remainingMs(left, leaveAfterMs, now)
}

/** Returns how much is left of `waitMs` since the last activity of these uploads. */
function remainingMs(records: readonly UploadRecord[], waitMs: number, now: number): number {
  const endedAt = Math.max(...records.map(({ lastActivity }) => lastActivity))
  // A moment in the future means that the clock was set back.
  return Math.min(Math.max(endedAt + waitMs - now, 0), waitMs)
}

/** `gone`: the panel is not on the page. */
export type Fold = 'open' | 'folded' | 'gone'

/**
 * Folds the panel to its header, later takes it off the page, and opens it again for new uploads.
 */
export interface AutoFold {
  fold(): Fold
  /**
   * Calls the listener whenever the panel folds, leaves or opens by itself. Returns a function that
   * stops this.
   */
  follow(listener: () => void): () => void
  /** Takes the uploads of the panel. Call it whenever they change. */
  show(records: readonly UploadRecord[]): void
  /**
   * Notes that a person uses the panel. An open panel then does not fold until new uploads have
   * ended.
   */
  touch(): void
  /**
   * Notes that a person opened or closed the panel. An opened panel neither folds nor leaves until
   * a person closes it.
   */
  setOpenedByHand(isOpen: boolean): void
  /** Notes whether the pointer is on the panel. It stays as it is meanwhile. */
  hover(isOver: boolean): void
  /** Notes whether the keyboard focus is in the panel. It stays as it is meanwhile. */
  focus(isInside: boolean): void
  /** Stops the timer. */
  stop(): void
}

export function createAutoFold(
  timers: Pick<Timers, 'now' | 'after'>,
  records: readonly UploadRecord[],
): AutoFold {
  let shown = records
  let fold: Fold = 'open'
  if (foldsInMs(records, timers.now()) === 0) fold = 'folded'
  if (leavesInMs(records, timers.now()) === 0) fold = 'gone'
  let isTouched = false
  let isOpenedByHand = false
  let isHovered = false
  let hasFocus = false
  let stopTimer = () => {}
  const listeners = new Set<() => void>()

  function update() {
    stopTimer()
    const foldMs = foldsInMs(shown, timers.now())
    if (foldMs === null) return setFold('open')
    const isInUse = isTouched || isOpenedByHand || isHovered || hasFocus
    if (isInUse || fold === 'gone') return
    const leaveMs = leavesInMs(shown, timers.now())
    if (leaveMs === 0) return setFold('gone')
    if (foldMs === 0) setFold('folded')
    const nextMs = foldMs === 0 ? leaveMs : foldMs
    if (nextMs !== null) stopTimer = timers.after(nextMs, update)
  }

  function setFold(next: Fold) {
    if (fold === next) return
    fold = next
    for (const listener of listeners) listener()
  }

  function touch() {
    isTouched ||= fold === 'open'
    update()
  }

  return {
    fold: () => fold,
    follow: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    show: (next) => {
      const hadEnded = foldsInMs(shown, timers.now()) !== null
      shown = next
      // New uploads have begun. The person touched the panel during the earlier ones, which does
      // not count for the new ones.
      if (hadEnded && foldsInMs(next, timers.now()) === null) isTouched = false
      update()
    },
    touch,
    setOpenedByHand: (isOpen) => {
      isOpenedByHand = isOpen
      isTouched = isOpen
      if (isOpen) setFold('open')
      update()
    },
    hover: (isOver) => {
      isHovered = isOver
      update()
    },
    focus: (isInside) => {
      hasFocus = isInside
      if (isInside) touch()
      else update()
    },
    stop: () => stopTimer(),
  }
}

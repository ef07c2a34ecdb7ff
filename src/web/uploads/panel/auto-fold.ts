import { isOver, type UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { isCancelled } from '../upload-errors.ts'

/** If no upload failed, the panel folds to its header this long after its last upload completed. */
export const foldAfterMs = 5000

/**
 * If an upload failed, the panel folds this long after its last upload ended, so that a person has
 * time to read why.
 */
const foldAfterFailureMs = 20_000

/**
 * Returns in how many milliseconds the panel folds; 0 when it should be folded already, null when
 * it must not fold. It folds only after all uploads have ended. A paused upload has not ended,
 * because it needs a person.
 */
export function foldsInMs(records: readonly UploadRecord[], now: number): number | null {
  const left = records.filter((record) => !isCancelled(record))
  if (left.length === 0 || !left.every(isOver)) return null
  const hasFailed = left.some(({ status }) => status === 'failed')
  const waitMs = hasFailed ? foldAfterFailureMs : foldAfterMs
  const endedAt = Math.max(...left.map(({ lastActivity }) => lastActivity))
  // If `endedAt` is in the future, the clock was set back. The panel then folds after `waitMs`.
  return Math.min(Math.max(endedAt + waitMs - now, 0), waitMs)
}

/** Folds the panel to its header, and opens it again for new uploads. */
export interface AutoFold {
  isFolded(): boolean
  /**
   * Calls the listener whenever the panel folds or opens by itself. Returns a function that stops
   * this.
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
   * Notes that a person opened or closed the panel. An opened panel does not fold until a person
   * closes it.
   */
  setOpenedByHand(isOpen: boolean): void
  /** Notes whether the pointer is on the panel. The panel does not fold meanwhile. */
  hover(isOnPanel: boolean): void
  /** Notes whether the keyboard focus is in the panel. The panel does not fold meanwhile. */
  focus(isInside: boolean): void
  /** Stops the timer. */
  stop(): void
}

export function createAutoFold(
  timers: Pick<Timers, 'now' | 'after'>,
  records: readonly UploadRecord[],
): AutoFold {
  let shown = records
  let isFolded = foldsInMs(records, timers.now()) === 0
  let isTouched = false
  let isOpenedByHand = false
  let isHovered = false
  let hasFocus = false
  let stopTimer = () => {}
  const listeners = new Set<() => void>()

  const update = () => {
    stopTimer()
    const foldMs = foldsInMs(shown, timers.now())
    if (foldMs === null) return setFolded(false)
    if (isFolded || isTouched || isOpenedByHand || isHovered || hasFocus) return
    if (foldMs === 0) return setFolded(true)
    stopTimer = timers.after(foldMs, update)
  }

  const setFolded = (next: boolean) => {
    if (isFolded === next) return
    isFolded = next
    for (const listener of listeners) listener()
  }

  const touch = () => {
    isTouched ||= !isFolded
    update()
  }

  return {
    isFolded: () => isFolded,
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
      if (isOpen) setFolded(false)
      update()
    },
    hover: (isOnPanel) => {
      isHovered = isOnPanel
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

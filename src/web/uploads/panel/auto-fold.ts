import type { UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { isCancelled } from '../upload-errors.ts'

/** The panel folds to its header this long after its last upload completed. */
export const foldAfterMs = 5000

/**
 * Returns in how many milliseconds the panel folds; 0 when it should be folded already, null when
 * it must not fold. It folds only after all uploads are completed, because a paused or failed
 * upload needs a person.
 */
export function foldsInMs(records: readonly UploadRecord[], now: number): number | null {
  const left = records.filter((record) => !isCancelled(record))
  if (left.length === 0 || left.some(({ status }) => status !== 'completed')) return null
  const completedAt = Math.max(...left.map(({ lastActivity }) => lastActivity))
  // A moment in the future means that the clock was set back.
  return Math.min(Math.max(completedAt + foldAfterMs - now, 0), foldAfterMs)
}

/** Folds the panel to its header, and unfolds it for new uploads. */
export interface AutoFold {
  isFolded(): boolean
  /**
   * Calls the listener whenever the panel folds or unfolds by itself. Returns a function that stops
   * this.
   */
  follow(listener: () => void): () => void
  /** Takes the uploads of the panel. Call it whenever they change. */
  show(records: readonly UploadRecord[]): void
  /**
   * Notes that a person uses the panel. The panel then does not fold until new uploads have ended.
   */
  touch(): void
  /**
   * Notes that a person opened or closed the panel. An opened panel does not fold until a person
   * closes it.
   */
  setOpenedByHand(isOpen: boolean): void
  /** Notes whether the pointer is on the panel. The panel does not fold while it is. */
  hover(isOver: boolean): void
  /** Notes whether the keyboard focus is in the panel. The panel does not fold while it is. */
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

  function update() {
    stopTimer()
    const waitMs = foldsInMs(shown, timers.now())
    if (waitMs === null) return setFolded(false)
    const isInUse = isTouched || isOpenedByHand || isHovered || hasFocus
    if (isInUse || isFolded) return
    if (waitMs === 0) setFolded(true)
    else stopTimer = timers.after(waitMs, update)
  }

  function setFolded(next: boolean) {
    if (isFolded === next) return
    isFolded = next
    for (const listener of listeners) listener()
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
    touch: () => {
      isTouched = true
      update()
    },
    setOpenedByHand: (isOpen) => {
      isOpenedByHand = isOpen
      isTouched = true
      if (isOpen) setFolded(false)
      update()
    },
    hover: (isOver) => {
      isHovered = isOver
      update()
    },
    focus: (isInside) => {
      hasFocus = isInside
      isTouched ||= isInside
      update()
    },
    stop: () => stopTimer(),
  }
}

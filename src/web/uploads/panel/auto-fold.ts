import type { UploadRecord } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import { isCancelled } from '../upload-errors.ts'

/** So long after its last upload completed the panel folds itself to its header. */
export const foldAfterMs = 5000

/**
 * How many milliseconds from now the panel folds itself: 0 where that moment has passed, null where it
 * stays as it is. It folds only once all uploads are completed: what is paused or failed needs a person.
 */
export function foldsInMs(records: readonly UploadRecord[], now: number): number | null {
  const left = records.filter((record) => !isCancelled(record))
  if (left.length === 0 || left.some(({ status }) => status !== 'completed')) return null
  const completedAt = Math.max(...left.map(({ lastActivity }) => lastActivity))
  // A moment in the future was before somebody set the clock back.
  return Math.min(Math.max(completedAt + foldAfterMs - now, 0), foldAfterMs)
}

/** Folds the panel to its header, and unfolds it for new uploads. */
export interface AutoFold {
  isFolded(): boolean
  /** Calls whenever the panel folds or unfolds itself; answers how to stop that. */
  follow(listener: () => void): () => void
  /** The uploads of the panel, whenever they change. */
  show(records: readonly UploadRecord[]): void
  /** A person uses the panel: it stays as it is until other uploads have come to their end. */
  touch(): void
  /** A person opens the panel: it does not fold itself any more, until a person closes it. */
  setOpenedByHand(isOpen: boolean): void
  /** The pointer is over the panel, or has left it. While it is there the panel does not fold. */
  hover(isOver: boolean): void
  /** The focus is in the panel, or has left it. While it is there the panel does not fold. */
  focus(isInside: boolean): void
  /** No timer runs any more. */
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
      // New uploads: what a person did with the panel was about others.
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

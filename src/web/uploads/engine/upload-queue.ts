import { tierLimits } from '../../../shared/rules/tier-limits.ts'
import type { Timers } from '../timers.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'

/** Spec §9: pause between file records. */
const pauseBetweenMs = 500
/** Drops of up to so many files pause. A larger drop would be held to two files a second by that. */
const largestPausedDrop = 10
/** How many small files of a large drop travel at once: a browser opens as many connections to a host. */
const overlapping = 6
/** Bytes. A larger file has parts that travel at once, and fills the line by itself. */
const smallFile = 8 * 1024 ** 2
/** A user who gets more places than this belongs to a tier without a limit. */
const mostPlacesOfALimit = Math.max(...Object.values(tierLimits).map((tier) => tier.maxFiles ?? 0))

/** What decides when an upload has its turn. */
export interface QueuedUpload {
  id: string
  /** Bytes. */
  size: number
  /** How many files its drop has. */
  dropSize: number
}

/** True for a drop whose files overlap, and which is told of as a whole. */
export function isLargeDrop(dropSize: number): boolean {
  return dropSize > largestPausedDrop
}

function overlaps({ size, dropSize }: QueuedUpload): boolean {
  return isLargeDrop(dropSize) && size <= smallFile
}

/** Which uploads wait for their turn, and which have it. A turn is the time in which an upload runs. */
export interface UploadQueue {
  /** Puts it behind those that wait already. */
  enqueue(upload: QueuedUpload): void
  /** The server gave it a place: one of the files that its owner may have. */
  placed(id: string): void
  /**
   * Its turn is over, or it waits no longer. As long as the server may still give it a place, nobody
   * else asks for one: then its turn lasts until `placeless` settles, 30 s at most.
   * @param placeless settles once it holds no place and gets none; null where that is so already.
   */
  leave(id: string, placeless: Promise<unknown> | null): void
  /** The ids of those that wait, in their order. */
  waiting(): string[]
}

/**
 * Gives uploads their turns. Spec §4: uploads run one after another, with a 500 ms pause between
 * files. Small files of a drop of more than ten overlap and do not pause. As long as the user may be one
 * who has few places, each upload gets its place before the next one asks for one: so the first files
 * have them.
 * @param start called with the id of each upload whose turn begins.
 */
export function createUploadQueue(timers: Timers, start: (id: string) => void): UploadQueue {
  const waiting = new Map<string, QueuedUpload>()
  const underWay = new Map<string, QueuedUpload>()
  /** Those under way that have no place yet. */
  const placing = new Set<string>()
  /** Those that left, and may be given a place all the same. */
  const leaving = new Set<string>()
  /** How many places were given since the queue was last empty. */
  let places = 0
  let isPausing = false

  function startNext() {
    while (!isPausing) {
      const [first] = waiting.values()
      if (!first || !mayStart(first)) return
      waiting.delete(first.id)
      underWay.set(first.id, first)
      placing.add(first.id)
      start(first.id)
    }
  }

  function mayStart(upload: QueuedUpload): boolean {
    if (underWay.size === 0) return true
    if (placing.size > 0 && places <= mostPlacesOfALimit) return false
    if (underWay.size >= overlapping || !overlaps(upload)) return false
    return [...underWay.values()].every(overlaps)
  }

  function endTurn(id: string) {
    placing.delete(id)
    const ended = underWay.get(id)
    if (!ended) return
    underWay.delete(id)
    if (waiting.size === 0 && underWay.size === 0) places = 0
    if (isLargeDrop(ended.dropSize) || waiting.size === 0 || isPausing) startNext()
    else pauseBefore()
  }

  function pauseBefore() {
    isPausing = true
    timers.after(pauseBetweenMs, () => {
      isPausing = false
      startNext()
    })
  }

  return {
    enqueue: (upload) => {
      if (waiting.has(upload.id) || underWay.has(upload.id)) return
      waiting.set(upload.id, upload)
      startNext()
    },
    placed: (id) => {
      if (!placing.delete(id)) return
      places += 1
      startNext()
    },
    leave: (id, placeless) => {
      waiting.delete(id)
      if (leaving.has(id)) return
      if (!placeless) return endTurn(id)
      leaving.add(id)
      const leave = () => {
        stopWaiting()
        leaving.delete(id)
        endTurn(id)
      }
      const stopWaiting = timers.after(callTimeoutMs, leave)
      placeless.then(leave, leave)
    },
    waiting: () => [...waiting.keys()],
  }
}

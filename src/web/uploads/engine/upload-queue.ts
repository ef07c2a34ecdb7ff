import { tierLimits } from '../../../shared/rules/tier-limits.ts'
import type { Timers } from '../timers.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'
import type { UploadRun } from './upload-run.ts'

/** Spec §9: pause between file records. */
const pauseBetweenMs = 500
/**
 * Uploads pause between files only in drops of up to this size. A pause would limit a larger drop
 * to two files a second.
 */
const largestPausedDrop = 10
/**
 * How many small files of a large drop are sent at once. A browser opens this many connections to a
 * host.
 */
const overlapping = 6
/**
 * The size of a small file in bytes. A larger file is sent in parts at once, which use the whole
 * line.
 */
const smallFile = 8 * 1024 ** 2
/** A user with more places than this has a tier without a limit. */
const mostPlacesOfALimit = Math.max(...Object.values(tierLimits).map((tier) => tier.maxFiles ?? 0))

/** What decides when an upload gets its turn. */
export interface QueuedUpload {
  id: string
  /** In bytes. */
  size: number
  /** How many files the upload's drop has. */
  dropSize: number
  /** The work of its turn. */
  run: Pick<UploadRun, 'begin' | 'starting'>
}

/** True for a drop whose small files overlap, and which gets one notice for all its files. */
export function isLargeDrop(dropSize: number): boolean {
  return dropSize > largestPausedDrop
}

function overlaps({ size, dropSize }: QueuedUpload): boolean {
  return isLargeDrop(dropSize) && size <= smallFile
}

/**
 * The uploads that wait for their turn, and those that have it. A turn is the time in which an
 * upload runs.
 */
export interface UploadQueue {
  /** Puts an upload behind those that wait already. */
  enqueue(upload: QueuedUpload): void
  /** Notes that the server gave an upload its place: one of the files that its owner may have. */
  placed(id: string): void
  /**
   * Ends the turn of an upload, or removes it from the queue. While the server may still give the
   * upload a place, no other upload may ask for one. So its turn then lasts until its start is
   * answered and the place is freed, at most 30 s.
   */
  leave(id: string): void
  /** Returns the ids of the waiting uploads in their order. */
  waiting(): string[]
}

/**
 * Gives uploads their turns. Spec §4: uploads run one after another, with a 500 ms pause between
 * files. Small files of a drop of more than ten overlap and do not pause. While the user may have
 * only a few places, each upload gets its place before the next one asks for one. So the first
 * files get the places.
 */
export function createUploadQueue(timers: Timers): UploadQueue {
  const waiting = new Map<string, QueuedUpload>()
  const underWay = new Map<string, QueuedUpload>()
  /** The ids of the running uploads that have no place yet. */
  const placing = new Set<string>()
  /** The ids of the uploads that ended, but may still be given a place. */
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
      first.run.begin()
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
    leave: (id) => {
      waiting.delete(id)
      if (leaving.has(id)) return
      const starting = underWay.get(id)?.run.starting
      if (!starting) return endTurn(id)
      leaving.add(id)
      const leave = () => {
        stopWaiting()
        leaving.delete(id)
        endTurn(id)
      }
      const stopWaiting = timers.after(callTimeoutMs, leave)
      starting.then(leave, leave)
    },
    waiting: () => [...waiting.keys()],
  }
}

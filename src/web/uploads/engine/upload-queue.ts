import type { Timers } from '../timers.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'
import type { UploadRun } from './upload-run.ts'

/** Spec §9: the pause between two files. */
const pauseBetweenMs = 500
/**
 * In a drop of at most this many files, the queue pauses between two files. In a larger drop the
 * pause would limit the speed to two files a second.
 */
const largestPausedDrop = 10
/**
 * How many small files of a large drop are under way at the same time. Few of them are being sent:
 * the others wait until they are started or confirmed together, or for their turn to be sent.
 */
const overlapping = 48
/**
 * The largest size of a small file in bytes. A larger file is sent as several parts in parallel, so
 * it uses the whole connection by itself.
 */
const smallFile = 8 * 1024 ** 2

/** What decides when an upload may start. */
export interface QueuedUpload {
  id: string
  /** In bytes. */
  size: number
  /** How many files were added together with this upload's file, including it. */
  dropSize: number
  /** The work of the upload, which the queue starts. */
  run: Pick<UploadRun, 'begin' | 'starting'>
}

/**
 * True for a drop so large that its small files are sent in parallel and one notice covers all its
 * files.
 */
export function isLargeDrop(dropSize: number): boolean {
  return dropSize > largestPausedDrop
}

/**
 * True if other uploads may run while this one runs, because its file is small and was added
 * together with many others. The engine also sends the calls of such uploads to the server
 * together, several in one request.
 */
export function overlaps({ size, dropSize }: Pick<QueuedUpload, 'size' | 'dropSize'>): boolean {
  return isLargeDrop(dropSize) && size <= smallFile
}

/** The uploads that wait, and those that run. */
export interface UploadQueue {
  /** Adds an upload behind those that wait already. */
  enqueue(upload: QueuedUpload): void
  /**
   * Notes that the server gave an upload its slot. A slot is one of the files that a user of a tier
   * with a limit may have at the same time.
   */
  gotSlot(id: string): void
  /**
   * Removes an upload from the queue, or notes that its run ended. If its call of get-upload-url
   * has no answer yet, the server may still give it an upload slot. The queue then counts the
   * upload as running until the answer has come and the slot is freed, for 30 s at most. Until then
   * no other upload asks for a slot, unless the user's tier does not limit them.
   */
  leave(id: string): void
  /** Returns the ids of the waiting uploads, in the order in which they will start. */
  waiting(): string[]
}

/**
 * Creates the queue. Uploads run one after another (spec §4), with a pause of 500 ms between two
 * files (spec §9).
 *
 * If a drop has more than ten files, its small files run in parallel and without a pause. While the
 * user may have only a few upload slots, each upload gets its slot before the next upload asks for
 * one. So the first files of the drop get the slots.
 * @param mostSlots returns the largest number of upload slots in any tier that limits them. A user
 * who got more slots than this has no limit.
 */
export function createUploadQueue(timers: Timers, mostSlots: () => number): UploadQueue {
  const waiting = new Map<string, QueuedUpload>()
  const underWay = new Map<string, QueuedUpload>()
  /** The ids of the running uploads that have no upload slot yet. */
  const withoutSlot = new Set<string>()
  /**
   * The ids of the uploads that ended before get-upload-url was answered. The server may still give
   * them an upload slot.
   */
  const leaving = new Set<string>()
  /** How many upload slots were given since the queue was last empty. */
  let slots = 0
  let isPausing = false

  const startNext = () => {
    while (!isPausing) {
      const [first] = waiting.values()
      if (!first || !mayStart(first)) return
      waiting.delete(first.id)
      underWay.set(first.id, first)
      withoutSlot.add(first.id)
      first.run.begin()
    }
  }

  const mayStart = (upload: QueuedUpload): boolean => {
    if (underWay.size === 0) return true
    if (withoutSlot.size > 0 && slots <= mostSlots()) return false
    if (underWay.size >= overlapping || !overlaps(upload)) return false
    return [...underWay.values()].every(overlaps)
  }

  const endTurn = (id: string) => {
    withoutSlot.delete(id)
    const ended = underWay.get(id)
    if (!ended) return
    underWay.delete(id)
    if (waiting.size === 0 && underWay.size === 0) slots = 0
    if (isLargeDrop(ended.dropSize) || waiting.size === 0 || isPausing) startNext()
    else pauseBefore()
  }

  const pauseBefore = () => {
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
    gotSlot: (id) => {
      if (!withoutSlot.delete(id)) return
      slots += 1
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

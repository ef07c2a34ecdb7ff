import type { Timers } from '../timers.ts'

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
const mostAtOnce = 48
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
  /** Runs the upload. Resolves when it has ended; never rejects. */
  run: () => Promise<void>
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
 * together with many others.
 */
export function overlaps({ size, dropSize }: Pick<QueuedUpload, 'size' | 'dropSize'>): boolean {
  return isLargeDrop(dropSize) && size <= smallFile
}

/**
 * Runs uploads one after another (spec §4), with a pause of 500 ms between two files (spec §9). The
 * small files of a drop of more than ten files run in parallel and without a pause.
 */
export class UploadQueue {
  readonly #timers: Timers
  readonly #waiting = new Map<string, QueuedUpload>()
  readonly #running = new Set<QueuedUpload>()
  #isPausing = false

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** Adds an upload behind those that wait already. */
  add(upload: QueuedUpload): void {
    this.#waiting.set(upload.id, upload)
    this.#startNext()
  }

  /** Removes an upload that waits. Does nothing if it runs already. */
  remove(id: string): void {
    this.#waiting.delete(id)
  }

  /** Returns the ids of the waiting uploads, in the order in which they will start. */
  waiting(): string[] {
    return [...this.#waiting.keys()]
  }

  #startNext(): void {
    while (!this.#isPausing) {
      const [first] = this.#waiting.values()
      if (!first || !this.#mayStart(first)) return
      this.#waiting.delete(first.id)
      this.#running.add(first)
      void first.run().then(() => this.#ended(first))
    }
  }

  #mayStart(upload: QueuedUpload): boolean {
    if (this.#running.size === 0) return true
    if (this.#running.size >= mostAtOnce || !overlaps(upload)) return false
    return [...this.#running].every(overlaps)
  }

  #ended(upload: QueuedUpload): void {
    this.#running.delete(upload)
    if (isLargeDrop(upload.dropSize) || this.#waiting.size === 0) {
      this.#startNext()
      return
    }
    if (this.#isPausing) return
    this.#isPausing = true
    this.#timers.after(pauseBetweenMs, () => {
      this.#isPausing = false
      this.#startNext()
    })
  }
}

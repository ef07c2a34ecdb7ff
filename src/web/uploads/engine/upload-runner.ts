import type { UploadRecord } from '../records/upload-record.ts'
import { atMost } from '../transfer/at-most.ts'
import type { UploadCalls } from '../transfer/upload-calls.ts'
import type { UploadLive } from '../uploads-state.ts'
import type { UploadFiles } from './upload-files.ts'
import { type RunDeps, type RunResult, UploadRun } from './upload-run.ts'

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

/**
 * How many small files of a large drop are sent at the same time. Browsers open at most six
 * HTTP/1.1 connections to a host. One of them is left for the calls.
 */
const sentAtOnce = 5

/**
 * True for a drop so large that its small files are sent in parallel and one notice covers all its
 * files.
 */
export function isLargeDrop(dropSize: number): boolean {
  return dropSize > largestPausedDrop
}

export interface RunnerDeps extends Omit<RunDeps, 'calls' | 'inTurn'> {
  calls: UploadCalls
  files: Pick<UploadFiles, 'get'>
  record: (id: string) => UploadRecord | undefined
  update: (record: UploadRecord) => void
  /** Called when the run of an upload has ended, unless it was stopped. */
  onEnd: (record: UploadRecord, result: RunResult) => void
  /** Called when `live` has changed. */
  onLive: () => void
}

/** An upload that waits or runs. */
interface QueuedUpload {
  id: string
  dropSize: number
  /**
   * True if other uploads may run while this one runs, because its file is small and was added
   * together with many others.
   */
  overlaps: boolean
}

/**
 * Runs the uploads of this tab one after another (spec §4), with a pause of 500 ms between two
 * files (spec §9). The small files of a drop of more than ten files run in parallel and without a
 * pause.
 */
export class UploadRunner {
  readonly #deps: RunnerDeps
  readonly #waiting = new Map<string, QueuedUpload>()
  readonly #running = new Set<QueuedUpload>()
  /** The runs that were not stopped. */
  readonly #runs = new Map<string, UploadRun>()
  readonly #singleDeps: RunDeps
  /** What the runs of small files of a large drop need. */
  readonly #overlappingDeps: RunDeps
  #isPausing = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#singleDeps = { ...deps, inTurn: (_, work) => work() }
    const calls = { ...deps.calls, ...deps.calls.gathered }
    this.#overlappingDeps = { ...deps, calls, inTurn: atMost(sentAtOnce) }
  }

  /**
   * Adds an upload behind those that wait already.
   * @param dropSize how many files were added together with this one, including it.
   */
  add({ id, fileSize }: UploadRecord, dropSize: number): void {
    const overlaps = isLargeDrop(dropSize) && fileSize <= smallFile
    this.#waiting.set(id, { id, dropSize, overlaps })
    this.#startNext()
  }

  /** Returns the ids of the uploads that wait or run. The waiting ones come first. */
  underWay(): string[] {
    return [...this.#waiting.keys(), ...this.#runs.keys()]
  }

  /** Stops an upload, or removes it from the queue. */
  stop(id: string): void {
    this.#waiting.delete(id)
    this.#runs.get(id)?.stop()
    this.#runs.delete(id)
  }

  /** Empties the queue. Returns the uploads that waited in it. */
  dequeueAll(): UploadRecord[] {
    const waiting = [...this.#waiting.keys()]
    this.#waiting.clear()
    return waiting.flatMap((id) => this.#deps.record(id) ?? [])
  }

  /** Returns the speed of each running upload, and what interrupts it, by record id. */
  live(): Record<string, UploadLive> {
    const live: Record<string, UploadLive> = {}
    for (const [id, run] of this.#runs) if (run.live) live[id] = run.live
    return live
  }

  #startNext(): void {
    while (!this.#isPausing) {
      const [first] = this.#waiting.values()
      if (!first || !this.#mayStart(first)) return
      this.#waiting.delete(first.id)
      this.#running.add(first)
      void this.#run(first).then(() => this.#ended(first))
    }
  }

  #mayStart({ overlaps }: QueuedUpload): boolean {
    if (this.#running.size === 0) return true
    if (this.#running.size >= mostAtOnce || !overlaps) return false
    return [...this.#running].every((other) => other.overlaps)
  }

  async #run({ id, overlaps }: QueuedUpload): Promise<void> {
    const { files, record, update, onLive, onEnd } = this.#deps
    const begun = record(id)
    if (!begun) return
    const get = () => record(id) ?? begun
    const deps = overlaps ? this.#overlappingDeps : this.#singleDeps
    const run = new UploadRun(files.get(id)?.file ?? null, deps, {
      get,
      update: (changes) => update({ ...get(), ...changes }),
      liveChanged: onLive,
    })
    this.#runs.set(id, run)
    const result = await run.run()
    if (!result) return
    this.#runs.delete(id)
    onEnd(get(), result)
  }

  #ended(upload: QueuedUpload): void {
    this.#running.delete(upload)
    if (isLargeDrop(upload.dropSize) || this.#waiting.size === 0) this.#startNext()
    else if (!this.#isPausing) {
      this.#isPausing = true
      this.#deps.timers.after(pauseBetweenMs, () => {
        this.#isPausing = false
        this.#startNext()
      })
    }
  }
}

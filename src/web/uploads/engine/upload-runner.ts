import type { UploadRecord } from '../records/upload-record.ts'
import type { UploadActivity } from '../uploads-state.ts'
import type { UploadFiles } from './upload-files.ts'
import { type RunDeps, type RunResult, UploadRun } from './upload-run.ts'

/** Spec §9: the pause between two files. */
const pauseBetweenMs = 500
/**
 * The largest drop with pauses between files. Pauses would limit larger drops to two files per
 * second.
 */
const maxPausedDropSize = 10
/**
 * Maximum size of a small file, in bytes. A larger file is sent in parallel parts and can saturate
 * the connection by itself.
 */
const maxSmallFileSize = 8 * 1024 ** 2

/**
 * Maximum number of small files in progress at the same time. Browsers open at most six HTTP/1.1
 * connections per host. One is reserved for other calls.
 */
const maxFilesInProgress = 5

/**
 * Returns whether a drop is large enough to send its small files in parallel and to show a single
 * notice for all files.
 */
export function isLargeDrop(dropSize: number): boolean {
  return dropSize > maxPausedDropSize
}

export interface RunnerDeps extends RunDeps {
  files: Pick<UploadFiles, 'get'>
  getRecord: (id: string) => UploadRecord | undefined
  update: (record: UploadRecord) => void
  /** Called when a run ends, unless it was stopped. */
  onRunEnd: (record: UploadRecord, result: RunResult) => void
  onActivityChange: () => void
}

interface QueuedUpload {
  id: string
  dropSize: number
  /** True for a small file in a large drop, which can run at the same time as others. */
  canOverlap: boolean
}

/**
 * Runs this tab's uploads one after another (spec §4), with a pause of 500 ms between files (spec
 * §9). Small files in drops of more than ten files run in parallel and without a pause.
 */
export class UploadRunner {
  readonly #deps: RunnerDeps
  readonly #waiting = new Map<string, QueuedUpload>()
  readonly #running = new Set<QueuedUpload>()
  /** Runs in progress that haven't been stopped, by record ID. */
  readonly #runs = new Map<string, UploadRun>()
  #isPausing = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  /**
   * Appends an upload to the queue.
   * @param dropSize the number of files in the upload's drop.
   */
  add({ id, fileSize }: UploadRecord, dropSize: number): void {
    const canOverlap = isLargeDrop(dropSize) && fileSize <= maxSmallFileSize
    this.#waiting.set(id, { id, dropSize, canOverlap })
    this.#startNext()
  }

  /** Returns the IDs of all waiting and running uploads, waiting ones first. */
  openIds(): string[] {
    return [...this.#waiting.keys(), ...this.#runs.keys()]
  }

  /** Stops an upload or removes it from the queue. */
  stop(id: string): void {
    this.#waiting.delete(id)
    this.#runs.get(id)?.stop()
    this.#runs.delete(id)
  }

  /** Empties the queue and returns its uploads. */
  dequeueAll(): UploadRecord[] {
    const waitingIds = [...this.#waiting.keys()]
    this.#waiting.clear()
    return waitingIds.flatMap((id) => this.#deps.getRecord(id) ?? [])
  }

  /** Returns each running upload's speed and any interruption, by record ID. */
  activity(): Record<string, UploadActivity> {
    const activityById: Record<string, UploadActivity> = {}
    for (const [id, run] of this.#runs) if (run.activity) activityById[id] = run.activity
    return activityById
  }

  #startNext(): void {
    while (!this.#isPausing) {
      const [first] = this.#waiting.values()
      if (!first || !this.#canStart(first)) return
      this.#waiting.delete(first.id)
      this.#running.add(first)
      void this.#run(first).then(() => this.#handleEnd(first))
    }
  }

  #canStart({ canOverlap }: QueuedUpload): boolean {
    if (this.#running.size === 0) return true
    if (this.#running.size >= maxFilesInProgress || !canOverlap) return false
    return [...this.#running].every((other) => other.canOverlap)
  }

  async #run({ id }: QueuedUpload): Promise<void> {
    const { files, getRecord, update, onActivityChange, onRunEnd } = this.#deps
    const initialRecord = getRecord(id)
    if (!initialRecord) return
    const getCurrentRecord = () => getRecord(id) ?? initialRecord
    const run = new UploadRun(files.get(id)?.file ?? null, this.#deps, {
      get: getCurrentRecord,
      update: (changes) => update({ ...getCurrentRecord(), ...changes }),
      onActivityChange,
    })
    this.#runs.set(id, run)
    const result = await run.run()
    if (!result) return
    this.#runs.delete(id)
    onRunEnd(getCurrentRecord(), result)
  }

  #handleEnd(upload: QueuedUpload): void {
    this.#running.delete(upload)
    if (isLargeDrop(upload.dropSize) || this.#waiting.size === 0) this.#startNext()
    else if (!this.#isPausing) {
      this.#isPausing = true
      this.#deps.timers.runAfter(pauseBetweenMs, () => {
        this.#isPausing = false
        this.#startNext()
      })
    }
  }
}

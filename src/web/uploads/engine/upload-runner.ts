import type { UploadRecord } from '../records/upload-record.ts'
import { atMost } from '../transfer/at-most.ts'
import type { UploadCalls } from '../transfer/upload-calls.ts'
import type { UploadLive } from '../uploads-state.ts'
import type { UploadFiles } from './upload-files.ts'
import { overlaps, UploadQueue } from './upload-queue.ts'
import { type RunDeps, type RunResult, UploadRun } from './upload-run.ts'

/**
 * How many small files of a large drop are sent at the same time. Browsers open at most six
 * HTTP/1.1 connections to a host. One of them is left for the calls.
 */
const sentAtOnce = 5

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

/** Runs the uploads of this tab, in the order of the queue. */
export class UploadRunner {
  readonly #deps: RunnerDeps
  readonly #queue: UploadQueue
  readonly #runs = new Map<string, UploadRun>()
  readonly #singleDeps: RunDeps
  /** What the runs of small files of a large drop need. */
  readonly #overlappingDeps: RunDeps

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#queue = new UploadQueue(deps.timers)
    this.#singleDeps = { ...deps, inTurn: (_, work) => work() }
    const calls = { ...deps.calls, ...deps.calls.gathered }
    this.#overlappingDeps = { ...deps, calls, inTurn: atMost(sentAtOnce) }
  }

  /** @param dropSize how many files were added together with this one, including it. */
  add({ id, fileSize: size }: UploadRecord, dropSize: number): void {
    const deps = overlaps({ size, dropSize }) ? this.#overlappingDeps : this.#singleDeps
    this.#queue.add({ id, size, dropSize, run: () => this.#run(id, deps) })
  }

  /** Returns the ids of the uploads that wait or run. The waiting ones come first. */
  underWay(): string[] {
    return [...this.#queue.waiting(), ...this.#runs.keys()]
  }

  /** Stops an upload, or removes it from the queue. */
  stop(id: string): void {
    this.#queue.remove(id)
    this.#runs.get(id)?.stop()
    this.#runs.delete(id)
  }

  /** Empties the queue. Returns the uploads that waited in it. */
  dequeueAll(): UploadRecord[] {
    return this.#queue.waiting().flatMap((id) => {
      this.#queue.remove(id)
      return this.#deps.record(id) ?? []
    })
  }

  /** Returns the speed of each running upload, and what interrupts it, by record id. */
  live(): Record<string, UploadLive> {
    const live: Record<string, UploadLive> = {}
    for (const [id, run] of this.#runs) if (run.live) live[id] = run.live
    return live
  }

  async #run(id: string, deps: RunDeps): Promise<void> {
    const { files, record, update, onLive, onEnd } = this.#deps
    const begun = record(id)
    if (!begun) return
    const get = () => record(id) ?? begun
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
}

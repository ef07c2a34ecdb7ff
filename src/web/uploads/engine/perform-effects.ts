import type { File as StoredFile } from '../../../shared/contract/files.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import { coalesce } from '../timers.ts'
import { type Notice, signedOutNotice } from '../upload-notices.ts'
import type { UploadLive } from '../uploads-state.ts'
import { type AbortsDeps, createAborts, type UploadAborts } from './upload-aborts.ts'
import type { UploadData } from './upload-data.ts'
import { isRunStep, type RunStep, type UploadEffect, type UploadEvent } from './upload-events.ts'
import { createUploadQueue, isLargeDrop, type UploadQueue } from './upload-queue.ts'
import { createRun, type RunDeps, type UploadRun } from './upload-run.ts'

/** The list of files is read again at most so often while uploads run. */
const refreshEveryMs = 1000
/** How long a cancelled upload says that it was. */
const cancelledShownMs = 2000

/** What effects are performed with. */
export interface EffectDeps extends RunDeps, Pick<AbortsDeps, 'storage'> {
  records: RecordStore
  data: UploadData
  /** The list of files is to be refreshed (spec §7); `files` are new in it. */
  onStored: (files: readonly StoredFile[]) => void
  onNotice: (notice: Notice & { kind: 'toast' }) => void
}

/** The side of the engine that keeps the records. */
export interface Dispatcher {
  record(id: string): UploadRecord | undefined
  /** How many files the drop of this record has had. */
  dropSize(record: UploadRecord): number
  /** Answers what the turn of this upload does next; null for nothing. */
  dispatch(id: string, event: UploadEvent): RunStep | null
  /** What the tabs show is different now. */
  changed(): void
}

/**
 * Performs what the machine asks for, by the queue, the server or the page. The steps of a turn it leaves
 * to the run of the upload. What comes of all that goes back to the dispatcher as an event.
 */
export class EffectPerformer {
  readonly #deps: EffectDeps
  readonly #dispatcher: Dispatcher
  readonly #aborts: UploadAborts
  readonly #queue: UploadQueue
  /** Of the uploads that have their turn. */
  readonly #runs = new Map<string, UploadRun>()
  readonly #live = new Map<string, UploadLive>()
  /** An error that belongs beside the drop zone (spec §5). */
  inlineError: string | null = null
  #isAskedToSignIn = false
  /** New files of which the page has not been told yet. */
  #unlisted: StoredFile[] = []
  readonly #refreshSoon: () => void

  constructor(ownerId: string, deps: EffectDeps, dispatcher: Dispatcher) {
    this.#aborts = createAborts(ownerId, { ...deps, abortUpload: deps.calls.abortUpload })
    // A run aborts by way of `#aborts` as well, so that no abort is forgotten.
    this.#deps = { ...deps, calls: { ...deps.calls, abortUpload: this.#aborts.abort } }
    this.#dispatcher = dispatcher
    this.#queue = createUploadQueue(deps.timers, (id) => this.#startTurn(id))
    this.#refreshSoon = coalesce(deps.timers, refreshEveryMs, () => this.#refresh())
  }

  /** Performs the effects of one event in their order. Answers the step that is left to the turn. */
  perform(record: UploadRecord, effects: readonly UploadEffect[]): RunStep | null {
    const run = this.#runs.get(record.id)
    let step: RunStep | null = null
    for (const effect of effects) {
      if (isRunStep(effect)) step = effect
      else this.#performOne(record, effect)
    }
    // Last, since the next upload may start at once.
    if (effects.some(({ type }) => type === 'end-turn')) {
      this.#queue.leave(record.id, run?.starting() ?? null)
    } else if (record.ticket) this.#queue.placed(record.id)
    return step
  }

  #performOne(record: UploadRecord, effect: Exclude<UploadEffect, RunStep>) {
    const { id } = record
    switch (effect.type) {
      case 'save':
        return this.#deps.records.save(record)
      case 'remove':
        return this.#deps.records.remove(id)
      case 'enqueue':
        return this.#enqueue(record)
      case 'end-turn':
        return this.#endTurn(id)
      case 'abort-on-server':
        return void this.#aborts.abort(effect.cloudKey)
      case 'forget-soon':
        return this.#forgetSoon(id)
      case 'release-data':
        return this.#deps.data.forget(id)
      case 'tell':
        return this.#tellOfOne(record, effect.notice)
      case 'refresh-list':
        return this.#list(effect.file)
      case 'stop-the-rest':
        return this.#dispatchToWaiting({ type: 'stopped', reason: effect.reason })
      case 'ask-to-sign-in':
        return this.#askToSignIn()
    }
  }

  #enqueue(record: UploadRecord): void {
    const { id, fileSize: size } = record
    this.#queue.enqueue({ id, size, dropSize: this.#dispatcher.dropSize(record) })
  }

  /** The queue calls this when the turn of an upload has come. */
  #startTurn(id: string): void {
    const file = this.#deps.data.file(id) ?? null
    const run = createRun(this.#deps, {
      file,
      record: () => this.#dispatcher.record(id),
      onEvent: (event) => this.#dispatcher.dispatch(id, event),
      onLive: (live) => {
        this.#live.set(id, live)
        this.#dispatcher.changed()
      },
      onStoredAnyway: (stored) => this.#list(stored),
    })
    this.#runs.set(id, run)
    run.begin()
  }

  #endTurn(id: string): void {
    this.#runs.get(id)?.end()
    this.#runs.delete(id)
    this.#live.delete(id)
  }

  #forgetSoon(id: string): void {
    const { timers } = this.#deps
    timers.after(cancelledShownMs, () => this.#dispatcher.dispatch(id, { type: 'forget' }))
  }

  #tellOfOne(record: UploadRecord, notice: Notice): void {
    // A large drop is told of as a whole, at its end.
    const isOneOfMany = isLargeDrop(this.#dispatcher.dropSize(record))
    if (notice.kind === 'inline' || !isOneOfMany) this.tell(notice)
  }

  /** Tells a person something. */
  tell(notice: Notice) {
    if (notice.kind === 'toast') return this.#deps.onNotice(notice)
    this.inlineError = notice.text
    this.#dispatcher.changed()
  }

  #list(file: StoredFile): void {
    this.#unlisted.push(file)
    this.#refreshSoon()
  }

  #refresh(): void {
    this.#deps.onStored(this.#unlisted)
    this.#unlisted = []
  }

  #askToSignIn(): void {
    this.#dispatchToWaiting({ type: 'signed-out' })
    if (!this.#isAskedToSignIn) this.tell(signedOutNotice)
    this.#isAskedToSignIn = true
  }

  /** A session that lapses from now on is told of again. */
  signedIn(): void {
    this.#isAskedToSignIn = false
  }

  #dispatchToWaiting(event: UploadEvent): void {
    for (const id of this.#queue.waiting()) this.#dispatcher.dispatch(id, event)
  }

  /** The ids of those that wait for their turn or have it. Those that wait come first. */
  underWay(): string[] {
    return [...this.#queue.waiting(), ...this.#runs.keys()]
  }

  /** What is known of uploads only while they run, by record id. */
  live(): Record<string, UploadLive> {
    return Object.fromEntries(this.#live)
  }

  /** Gives back the places of uploads that were given up and did not get an answer to that. */
  resumeAborts(): void {
    this.#aborts.resume()
  }

  /** Nothing runs any more. */
  close(): void {
    for (const run of this.#runs.values()) run.end()
    this.#aborts.close()
  }
}

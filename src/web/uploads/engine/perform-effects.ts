import type { File as StoredFile } from '../../../shared/contract/files.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import { coalesce } from '../timers.ts'
import { atMost } from '../transfer/at-most.ts'
import type { UploadCalls } from '../transfer/upload-calls.ts'
import { type Notice, signedOutNotice } from '../upload-notices.ts'
import type { UploadLive, UploadsPage } from '../uploads-state.ts'
import { type AbortsDeps, createAborts, type UploadAborts } from './upload-aborts.ts'
import type { UploadData } from './upload-data.ts'
import { isRunStep, type RunStep, type UploadEffect, type UploadEvent } from './upload-events.ts'
import { createUploadQueue, isLargeDrop, overlaps, type UploadQueue } from './upload-queue.ts'
import { type RecordKeeper, type RunDeps, UploadRun } from './upload-run.ts'

/** While uploads run, the list of files is read again at most once in this time. */
const refreshEveryMs = 1000
/**
 * How many small files of a large drop are sent at the same time. Browsers open at most six
 * HTTP/1.1 connections to a host. One of them is left for the calls.
 */
const sentAtOnce = 5
/** How long a cancelled upload stays visible. */
const cancelledShownMs = 2000

/** What performing effects needs from the server, the browser and the page. */
export interface EffectDeps
  extends Omit<RunDeps, 'calls' | 'inTurn' | 'onStoredAnyway'>,
    Pick<AbortsDeps, 'storage'>,
    UploadsPage {
  calls: UploadCalls
  records: RecordStore
  data: UploadData
}

/** The part of the engine that keeps the records and handles events. */
export interface Dispatcher extends RecordKeeper {
  /** Returns how many files were added together with this record's file, including it. */
  dropSize(record: UploadRecord): number
}

/**
 * Performs the effects that the state machine returns for an event. The steps of a running upload
 * are performed by the upload's own `UploadRun`. Results go to the dispatcher as events.
 */
export class EffectPerformer {
  readonly #deps: EffectDeps
  readonly #dispatcher: Dispatcher
  readonly #aborts: UploadAborts
  readonly #queue: UploadQueue
  readonly #runDeps: RunDeps
  /** What the runs of small files of a large drop need. */
  readonly #overlappingDeps: RunDeps
  /** The runs of all uploads that wait in the queue or run, by record id. */
  readonly #runs = new Map<string, UploadRun>()
  /** An error that is shown beside the drop zone (spec §5). */
  inlineError: string | null = null
  #isAskedToSignIn = false
  /** New files that the page has not been told about yet. */
  #unlisted: StoredFile[] = []
  readonly #refreshSoon: () => void

  constructor(ownerId: string, deps: EffectDeps, dispatcher: Dispatcher) {
    this.#aborts = createAborts(ownerId, { ...deps, abortUpload: deps.calls.abortUpload })
    this.#deps = deps
    this.#runDeps = {
      ...deps,
      // A running upload also aborts through `#aborts`, so that an abort without an answer is
      // repeated.
      calls: { ...deps.calls, abortUpload: this.#aborts.abort },
      onStoredAnyway: (stored) => this.#list(stored),
    }
    this.#overlappingDeps = {
      ...this.#runDeps,
      calls: { ...this.#runDeps.calls, ...deps.calls.gathered },
      inTurn: atMost(sentAtOnce),
    }
    this.#dispatcher = dispatcher
    this.#queue = createUploadQueue(deps.timers, deps.mostSlots)
    this.#refreshSoon = coalesce(deps.timers, refreshEveryMs, () => this.#refresh())
  }

  /**
   * Performs the effects of one event, from the first to the last. If one of them is a step of the
   * upload's run, returns this step and does not perform it. Otherwise returns null.
   */
  perform(record: UploadRecord, effects: readonly UploadEffect[]): RunStep | null {
    let step: RunStep | null = null
    for (const effect of effects) {
      if (isRunStep(effect)) step = effect
      else this.#performOne(record, effect)
    }
    // This comes last, because the queue may immediately start the next upload.
    if (effects.some(({ type }) => type === 'end-turn')) this.#queue.leave(record.id)
    else if (record.ticket) this.#queue.gotSlot(record.id)
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
        return this.#dispatchToWaiting({ ...effect, type: 'stopped' })
      case 'ask-to-sign-in':
        return this.#askToSignIn()
    }
  }

  #enqueue(record: UploadRecord): void {
    const { id, fileSize: size } = record
    const dropSize = this.#dispatcher.dropSize(record)
    const deps = overlaps({ size, dropSize }) ? this.#overlappingDeps : this.#runDeps
    const run = new UploadRun(id, deps, this.#dispatcher)
    this.#runs.set(id, run)
    this.#queue.enqueue({ id, size, dropSize, run })
  }

  #endTurn(id: string): void {
    this.#runs.get(id)?.end()
    this.#runs.delete(id)
  }

  #forgetSoon(id: string): void {
    const { timers } = this.#deps
    timers.after(cancelledShownMs, () => this.#dispatcher.dispatch(id, { type: 'forget' }))
  }

  #tellOfOne(record: UploadRecord, notice: Notice): void {
    // A large drop gets one notice at its end, not one for each file.
    const isOneOfMany = isLargeDrop(this.#dispatcher.dropSize(record))
    if (notice.kind === 'inline' || !isOneOfMany) this.tell(notice)
  }

  /** Shows a notice to the person. */
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

  /** Notes that a person signed in again. If the session ends once more, a new notice is shown. */
  signedIn(): void {
    this.#isAskedToSignIn = false
  }

  #dispatchToWaiting(event: UploadEvent): void {
    for (const id of this.#queue.waiting()) this.#dispatcher.dispatch(id, event)
  }

  /** Returns the ids of the uploads that wait in the queue or run. The waiting ones come first. */
  underWay(): string[] {
    return [...new Set([...this.#queue.waiting(), ...this.#runs.keys()])]
  }

  /** Returns the speed of each running upload, and what interrupts it, by record id. */
  live(): Record<string, UploadLive> {
    const running = [...this.#runs].map(([id, { live }]) => [id, live] as const)
    return Object.fromEntries(
      running.filter((entry): entry is [string, UploadLive] => entry[1] !== null),
    )
  }

  /** Repeats the requests to abort an upload that the server has not answered. */
  resumeAborts(): void {
    this.#aborts.resume()
  }

  /**
   * Stops all running uploads. The page is still told of files that the server has stored: of the
   * last ones before this call, and of those whose confirmation is answered after it.
   */
  close(): void {
    for (const run of this.#runs.values()) run.end()
    this.#aborts.close()
  }
}

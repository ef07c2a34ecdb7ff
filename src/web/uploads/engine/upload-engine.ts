/**
 * Runs the uploads of one owner, a user or a request's page, in one tab. Terms:
 * - A *record* is the saved state of one upload. Every tab shows all records.
 * - A tab *claims* the record of an upload that it runs. Only one tab can claim a record.
 * - Uploads wait in the *queue*. A *run* is the work on an upload that has left the queue.
 * - A *drop* is a set of files added together.
 */
import { type Tier, tierTraits } from '../../../shared/rules/tiers/tier.ts'
import { mismatchText } from '../picking/file-identity.ts'
import { requestHandleFile } from '../picking/handle-file.ts'
import type { HandleStore } from '../picking/handle-store.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { RecordLocks } from '../records/record-locks.ts'
import { isExpiredRecord, isFinished } from '../records/record-state.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import { throttle } from '../timers.ts'
import { callWithRetries, type UploadCalls } from '../transfer/upload-calls.ts'
import { isCancelled, isTierFailure, stopsAllUploads } from '../upload-errors.ts'
import {
  failureNotice,
  type Notice,
  signedOutNotice,
  successNotice,
  wrongFileNotice,
} from '../upload-notices.ts'
import type { PageCallbacks, ShownUploads } from '../uploads-state.ts'
import { BatchProgress } from './batch-progress.ts'
import { createLinkStarter } from './link-starter.ts'
import { type AddedFiles, createRecord } from './new-record.ts'
import { UploadResumer } from './resume-uploads.ts'
import { UploadFiles } from './upload-files.ts'
import { UploadList } from './upload-list.ts'
import { describeFailure, type RunDeps, type RunFailure, type RunResult } from './upload-run.ts'
import { isLargeDrop, UploadRunner } from './upload-runner.ts'
import {
  canAutoResume,
  canResume,
  isActive,
  toCancelled,
  toCompleted,
  toFailed,
  toPaused,
} from './upload-state.ts'

/** Changes are throttled to this interval, because each one re-renders the page. */
const renderIntervalMs = 50
/** How often to check for closed tabs and for uploads that can resume automatically. */
const checkIntervalMs = 1000
/** Spec §9: cleanup every 60 s. */
const cleanUpIntervalMs = 60_000
/** The minimum time between reloads of the file list while uploads run. */
const refreshIntervalMs = 1000
/** How long a cancelled upload stays visible. */
const cancelledDisplayMs = 2000
/**
 * How long a sign-out waits for the server to abort uploads. The server eventually times out any
 * that weren't aborted.
 */
const abortTimeoutMs = 3000

export interface EngineDeps extends Omit<RunDeps, 'calls' | 'startInLink'>, PageCallbacks {
  calls: UploadCalls
  records: RecordStore
  locks: RecordLocks
  handles: HandleStore
  /** Called when `shownUploads` changes. */
  onChange: () => void
  /** Warns users who leave the page. Returns a function that removes the warning. */
  blockUnload: () => () => void
  /** Keeps the screen on. Returns a function that releases it. */
  keepScreenOn: () => () => void
}

export class UploadEngine {
  readonly #ownerId: string
  readonly #deps: EngineDeps
  readonly #list: UploadList
  readonly #files: UploadFiles
  readonly #resumer: UploadResumer
  readonly #runner: UploadRunner
  readonly #batches: BatchProgress
  /** Aborted when the engine is closed. */
  readonly #closing = new AbortController()
  /** IDs of uploads from closed tabs whose bytes this tab has already searched for. */
  readonly #searchedIds = new Set<string>()
  /** The error shown next to the drop zone (spec §5). */
  #inlineError: string | null = null
  #hasShownSignInNotice = false
  #hasLoaded = false
  readonly #scheduleRender: () => void
  readonly #refreshSoon: () => void
  readonly #stopTimers: (() => void)[]
  readonly #setUnloadBlocked: (isOn: boolean) => void
  readonly #setScreenOn: (isOn: boolean) => void

  constructor(ownerId: string, deps: EngineDeps) {
    const { timers } = deps
    this.#ownerId = ownerId
    this.#deps = deps
    this.#setUnloadBlocked = createSwitch(deps.blockUnload)
    this.#setScreenOn = createSwitch(deps.keepScreenOn)
    this.#scheduleRender = throttle(timers, renderIntervalMs, () => this.#render())
    this.reloadSoon = throttle(timers, checkIntervalMs, () => void this.#reload())
    this.#refreshSoon = throttle(timers, refreshIntervalMs, deps.onStored)
    this.#files = new UploadFiles(deps.handles)
    this.#list = new UploadList({
      ownerId,
      records: deps.records,
      locks: deps.locks,
      onLost: (record) => this.#handleLoss(record),
      onCompletedElsewhere: this.#refreshSoon,
      onChange: this.#scheduleRender,
    })
    this.#batches = new BatchProgress({
      timers,
      list: this.#list,
      onNotice: (notice) => this.#notify(notice),
      onOutcome: this.#scheduleRender,
    })
    this.#resumer = new UploadResumer({
      ...deps,
      list: this.#list,
      files: this.#files,
      update: (record) => this.#update(record),
      enqueue: (record) => this.#runner.add(record, this.#list.drop(record).length),
    })
    this.#runner = new UploadRunner({
      ...deps,
      files: this.#files,
      startInLink: createLinkStarter({
        calls: deps.calls,
        list: this.#list,
        update: (record) => this.#update(record),
      }),
      getRecord: (id) => this.#list.get(id),
      update: (record) => this.#update(record),
      onRunEnd: (record, result) => this.#handleRunEnd(record, result),
      onActivityChange: this.#scheduleRender,
    })
    this.#stopTimers = [
      timers.runEvery(checkIntervalMs, () => this.#resumeIdle()),
      timers.runEvery(cleanUpIntervalMs, () => this.#cleanUp()),
    ]
    this.reloadSoon()
  }

  /** Uploads files. If a paused upload needs one of them, resumes that upload instead. */
  async add({ files, ...drop }: AddedFiles): Promise<void> {
    const newFiles: AddedFiles['files'][number][] = []
    for (const addedFile of files) {
      const pausedUpload = this.#resumer.findUploadNeeding(addedFile.picked.file)
      if (!pausedUpload || !(await this.#resumer.resumeWithFile(pausedUpload.id, addedFile.picked)))
        newFiles.push(addedFile)
    }
    if (newFiles.length === 0) return
    this.#inlineError = null
    const records = newFiles.map(({ id, picked }) => {
      this.#files.add(id, picked)
      const now = this.#deps.timers.now()
      return createRecord({ id, ownerId: this.#ownerId, picked, now, ...drop })
    })
    for (const record of records) {
      this.#list.addUnsaved(record)
      this.#batches.update(null, record)
    }
    await Promise.all(records.map(({ id }) => this.#list.claim(id)))
    // The user may have cancelled some uploads in the meantime.
    const pending = records.filter(({ id }) => this.#list.get(id)?.status === 'pending')
    for (const record of pending) this.#update(record)
    for (const record of pending) this.#runner.add(record, records.length)
  }

  /**
   * Cancels an upload, even one that another tab is running. Spec §4: it fails with 'Cancelled by
   * user'. An upload that has already failed is removed immediately.
   */
  async cancel(id: string): Promise<void> {
    const isOwn = this.#list.isClaimed(id)
    if (isOwn || (await this.#list.claim(id, { steal: true }))) this.#cancel(id)
  }

  /** Cancels this tab's foreground uploads. */
  cancelForeground(): void {
    // `openIds` lists waiting uploads first, so none of them starts when a running one is
    // cancelled.
    for (const id of this.#runner.openIds()) {
      if (this.#list.get(id)?.path === 'foreground') this.#cancel(id)
    }
  }

  /**
   * Resumes a paused upload or retries a failed one if its bytes are available. Call from a click
   * handler: the browser may show a permission prompt for the file.
   */
  async resume(id: string): Promise<void> {
    const handle = this.#files.get(id) ? undefined : await this.#deps.handles.get(id)
    const result = handle && (await requestHandleFile(handle))
    if (result?.state === 'permission') return
    if (result?.state === 'found') await this.provideFile(id, { file: result.file, handle })
    else await this.#resumer.resume(id)
  }

  /** Resumes an upload with its file. A different file is rejected with a notice. */
  async provideFile(id: string, picked: PickedFile): Promise<void> {
    const record = this.#list.get(id)
    if (!record || !canResume(record)) return
    const reason = mismatchText(record.identity, picked.file)
    if (reason !== null) this.#notify(wrongFileNotice(reason))
    else await this.#resumer.resumeWithFile(id, picked)
  }

  /** Resumes uploads that are waiting for a sign-in, if their owner has signed in again. */
  async resumeAfterSignIn(): Promise<void> {
    const waitingUploads = this.#resumer.resumableUploads().filter(({ need }) => need === 'sign-in')
    if (waitingUploads.length === 0) return
    const user = await this.#deps.calls.currentUser()
    if (!user.ok || user.value.id !== this.#ownerId) return
    this.#hasShownSignInNotice = false
    for (const { id } of waitingUploads) void this.#resumer.resume(id)
  }

  /**
   * Handles a tier change: dismisses the inline error and, after an upgrade, retries the uploads
   * that the old tier's limits blocked, in order.
   */
  async handleTierChange(before: Tier, after: Tier): Promise<void> {
    this.dismissInlineError()
    if (tierTraits[before].upgradesTo !== after) return
    const blockedUploads = this.#resumer.resumableUploads().filter(isTierFailure)
    for (const { id } of blockedUploads) await this.#resumer.resume(id)
  }

  /** Removes completed and failed uploads. */
  clear(): void {
    for (const record of this.#list.all()) if (isFinished(record)) this.#remove(record)
  }

  dismissInlineError(): void {
    this.#inlineError = null
    this.#scheduleRender()
  }

  shownUploads(): ShownUploads {
    return {
      records: this.#list.all(),
      otherTabIds: this.#list.otherTabIds(),
      activity: this.#runner.activity(),
      inlineError: this.#inlineError,
      outcome: this.#batches.outcome,
    }
  }

  /** Loads changes from other tabs, at most once a second. */
  readonly reloadSoon: () => void

  /** True while any of this tab's uploads is running or waiting. */
  get isRunning(): boolean {
    return this.#runner.openIds().length > 0
  }

  /** Pauses all of this tab's uploads and stops the engine. */
  close(): void {
    for (const record of this.#list.all()) {
      const isOwn = this.#list.isClaimed(record.id)
      if (isOwn && isActive(record)) this.#update(toPaused(record, null))
    }
    this.#stop()
    this.#list.close()
  }

  /**
   * Removes this user's uploads from the browser, aborts the unfinished ones on the server, and
   * closes the engine.
   */
  async signOut(): Promise<void> {
    const { records, handles, calls, timers } = this.#deps
    await this.#list.reload()
    const uploads = this.#list.all()
    this.#stop()
    for (const { id } of uploads) this.#list.remove(id)
    this.#list.close()
    await handles.removeAllExcept(records.load().map(({ id }) => id))
    const unfinishedUploads = uploads.filter(({ status }) => status !== 'completed')
    const tickets = unfinishedUploads.flatMap(({ ticket }) => ticket ?? [])
    const abortPromise = Promise.all(tickets.map((ticket) => calls.abortUpload(ticket)))
    const timeoutPromise = new Promise<void>((resolve) => timers.runAfter(abortTimeoutMs, resolve))
    await Promise.race([abortPromise, timeoutPromise])
  }

  #stop(): void {
    this.#closing.abort(new DOMException('These uploads are closed.', 'AbortError'))
    for (const stop of this.#stopTimers) stop()
    for (const { id } of this.#list.all()) this.#runner.stop(id)
    this.#setUnloadBlocked(false)
    this.#setScreenOn(false)
  }

  /** Loads all tabs' records and locates the bytes of uploads whose tab was closed. */
  async #reload(): Promise<void> {
    const { records, locks, handles } = this.#deps
    if (this.#closing.signal.aborted) return
    const orphanedUploads = await this.#list.reload()
    if (this.#closing.signal.aborted) return
    if (!this.#hasLoaded) {
      const knownRecords = [...records.load(), ...this.#list.all()]
      void handles.removeAllExcept(knownRecords.map(({ id }) => id))
    }
    this.#hasLoaded = true
    for (const id of this.#list.otherTabIds()) this.#searchedIds.delete(id)
    for (const record of orphanedUploads) {
      const { id } = record
      if (isCancelled(record)) this.#list.remove(id)
      if (!locks.isSupported || this.#searchedIds.has(id) || !canResume(record)) continue
      this.#searchedIds.add(id)
      if (record.need === null) void this.#resumer.requestFile(id)
    }
    void this.resumeAfterSignIn()
  }

  /** Resumes uploads that need nothing from the user and have been idle for 5 s (spec §4). */
  #resumeIdle(): void {
    const otherTabIds = this.#list.otherTabIds()
    if (otherTabIds.size > 0) this.reloadSoon()
    const now = this.#deps.timers.now()
    for (const record of this.#list.all()) {
      const { id } = record
      const canClaim = this.#deps.locks.isSupported || this.#list.isClaimed(id)
      if (canClaim && canAutoResume(record, now) && !otherTabIds.has(id))
        void this.#resumer.resume(id)
    }
  }

  #cleanUp(): void {
    const now = this.#deps.timers.now()
    for (const record of this.#list.all()) if (isExpiredRecord(record, now)) this.#remove(record)
  }

  #handleRunEnd(record: UploadRecord, result: RunResult): void {
    const { id, path, fileName } = record
    const now = this.#deps.timers.now()
    if (result.type === 'stored') {
      this.#update(toCompleted(record, now))
      this.#files.remove(id)
      this.#list.release(id)
      this.#refreshSoon()
      this.#notifyOfUpload(record, successNotice(path, fileName))
    } else if (result.type === 'failed') this.#handleFailure(record, result)
    else if (result.need === 'file') this.#resumer.handleMissingFile(record, 'file')
    else {
      this.#update(toPaused(record, 'sign-in'))
      for (const other of this.#runner.dequeueAll()) this.#update(toPaused(other, 'sign-in'))
      if (!this.#hasShownSignInNotice) this.#notify(signedOutNotice)
      this.#hasShownSignInNotice = true
    }
  }

  #handleFailure(record: UploadRecord, result: RunFailure): void {
    const { stage, isUnreadable } = result
    const { error, code } = describeFailure(record, result)
    const now = this.#deps.timers.now()
    const failedRecord = toFailed(record, error, code, now)
    // The server has ended this upload, so there is nothing to resume or abort.
    const isBlocked = code === 'CONTENT_BLOCKED'
    if (isBlocked) failedRecord.ticket = null
    // The next attempt asks for the file, unless it was pasted and can't be chosen again.
    if (isUnreadable && !record.pasted) failedRecord.need = 'file'
    if (isBlocked || isUnreadable) this.#files.remove(record.id)
    this.#update(failedRecord)
    this.#notifyOfUpload(record, failureNotice(stage, record.fileName, error, code))
    if (!stopsAllUploads(code)) return
    for (const other of this.#runner.dequeueAll()) this.#update(toFailed(other, error, code, now))
  }

  #cancel(id: string): void {
    const record = this.#list.get(id)
    if (!record || record.status === 'completed') return
    // The user has already seen the failure, so remove the upload immediately.
    if (record.status === 'failed') {
      this.#remove(record)
      return
    }
    this.#runner.stop(id)
    this.#update(toCancelled(record, this.#deps.timers.now()))
    this.#abortOnServer(record)
    this.#files.remove(id)
    this.#deps.timers.runAfter(cancelledDisplayMs, () => {
      const cancelledRecord = this.#list.get(id)
      if (cancelledRecord && isCancelled(cancelledRecord)) this.#remove(cancelledRecord)
    })
  }

  #remove(record: UploadRecord): void {
    const { id } = record
    this.#runner.stop(id)
    if (record.status !== 'completed') this.#abortOnServer(record)
    this.#files.remove(id)
    this.#list.remove(id)
  }

  /** Called when another tab has taken or removed an upload that this tab had claimed. */
  #handleLoss(record: UploadRecord): void {
    this.#runner.stop(record.id)
    this.#files.removeFromMemory(record.id)
    this.#batches.update(record, toPaused(record, null))
    this.reloadSoon()
  }

  /**
   * Aborts the upload on the server to free its slot (spec §4). If the upload was already
   * confirmed, its file is kept, so the lists are refreshed.
   */
  #abortOnServer({ ticket }: UploadRecord): void {
    if (!ticket) return
    const abortCall = { call: this.#deps.calls.abortUpload, input: ticket }
    const { signal } = this.#closing
    callWithRetries(abortCall, { signal }, this.#deps).then(this.#refreshSoon, () => undefined)
  }

  #update(record: UploadRecord): void {
    if (this.#closing.signal.aborted) return
    const before = this.#list.get(record.id) ?? null
    this.#list.save(record)
    this.#batches.update(before, record)
  }

  #notifyOfUpload(record: UploadRecord, notice: Notice): void {
    // A large drop gets one notice when it ends instead of one per file.
    const isInLargeDrop = isLargeDrop(this.#list.drop(record).length)
    if (notice.kind === 'inline' || !isInLargeDrop) this.#notify(notice)
  }

  #notify(notice: Notice): void {
    if (notice.kind === 'toast') this.#deps.onNotice(notice)
    else {
      this.#inlineError = notice.text
      this.#scheduleRender()
    }
  }

  #render(): void {
    if (this.#closing.signal.aborted) return
    const records = this.#list.all()
    const isOnlyInMemory = ({ id, status }: UploadRecord) => {
      const picked = status === 'paused' ? this.#files.get(id) : undefined
      return picked !== undefined && !picked.handle
    }
    this.#setUnloadBlocked(this.isRunning || records.some(isOnlyInMemory))
    // Includes other tabs' uploads, because the user may be looking at this tab.
    this.#setScreenOn(records.some(isActive))
    this.#deps.onChange()
  }
}

/**
 * Returns a switch. Turning it on calls `turnOn`; turning it off calls the function that `turnOn`
 * returned.
 */
function createSwitch(turnOn: () => () => void): (isOn: boolean) => void {
  let turnOff: (() => void) | null = null
  return (isOn) => {
    if (isOn) turnOff ??= turnOn()
    else {
      turnOff?.()
      turnOff = null
    }
  }
}

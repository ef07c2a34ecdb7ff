import type { Interruption } from '../interruption.ts'
import { toTicket } from '../records/to-ticket.ts'
import type { StartedUpload, UploadRecord, UploadTicket } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import type { FileChecksums } from '../transfer/checksums.ts'
import { requestTimeoutMs } from '../transfer/storage-request.ts'
import {
  type CallDeps,
  callWithRetries,
  canRetryStart,
  type RepeatedCall,
  type UploadCalls,
} from '../transfer/upload-calls.ts'
import {
  type CallError,
  callErrorText,
  type Outcome,
  transferCode,
  transferErrorText,
} from '../upload-errors.ts'
import type { FailedStage } from '../upload-notices.ts'
import { type SendFile, type StoredPart, TransferError } from '../upload-ports.ts'
import type { UploadActivity } from '../uploads-state.ts'
import { announcedFile } from './new-record.ts'
import { bytesPerSecond, type SpeedSamples, withSample } from './upload-speed.ts'
import { withBytes } from './upload-state.ts'

/** Spec §9: progress callbacks are throttled to every 500 ms. */
const progressIntervalMs = 500

export interface RunDeps extends CallDeps {
  timers: Timers
  calls: Pick<UploadCalls, 'getUploadUrl' | 'listParts' | 'confirmUpload' | 'abortUpload'>
  /** Starts an upload that shares its link with others. Frees its slot if it has been stopped. */
  startInLink: (record: UploadRecord, signal: AbortSignal) => Promise<Outcome<StartedUpload>>
  sendFile: SendFile
  /** Resolves to null if the browser can't compute them. */
  checksumsOf: (file: Blob, signal: AbortSignal) => Promise<FileChecksums | null>
  /** Called with unexpected errors, which also fail the upload. */
  reportError: (error: unknown) => void
}

/** Gives a run access to its upload's record, which the engine owns. */
export interface RunRecord {
  get(): UploadRecord
  update(changes: Partial<UploadRecord>): void
  /** Called when `UploadRun.activity` changes. */
  onActivityChange(): void
}

export interface RunFailure {
  type: 'failed'
  stage: FailedStage
  cause: CallError | TransferError
  isUnreadable: boolean
}

export type RunResult =
  | { type: 'stored' }
  /** The user has to sign in or choose the file again before the upload can continue. */
  | { type: 'paused'; need: 'sign-in' | 'file' }
  | RunFailure

type CallStage = 'start' | 'confirm'

class StageError extends Error {
  readonly stage: CallStage
  readonly callError: CallError

  constructor(stage: CallStage, callError: CallError) {
    super(`${stage} ${callError.status}`)
    this.stage = stage
    this.callError = callError
  }
}

/** Runs one upload: gets a ticket, sends the bytes and confirms them. */
export class UploadRun {
  readonly #file: File | null
  readonly #deps: RunDeps
  readonly #record: RunRecord
  readonly #stop = new AbortController()
  readonly #signal = this.#stop.signal
  #checksums: Promise<FileChecksums | null> = Promise.resolve(null)
  #activity: UploadActivity | null = null

  /** @param file null if this tab doesn't have it. The upload can then only be confirmed. */
  constructor(file: File | null, deps: RunDeps, record: RunRecord) {
    this.#file = file
    this.#deps = deps
    this.#record = record
  }

  /**
   * The upload's speed and any interruption. Null before the transfer, unless a call was
   * interrupted.
   */
  get activity(): UploadActivity | null {
    return this.#activity
  }

  /**
   * Runs the upload. Returns null if it was stopped. If that happens during a get-upload-url call,
   * waits for the response and frees the new slot first.
   */
  async run(): Promise<RunResult | null> {
    try {
      await (this.#file ? this.#upload(this.#file) : this.#confirmWithoutFile())
      return this.#signal.aborted ? null : { type: 'stored' }
    } catch (error) {
      return this.#signal.aborted ? null : this.#toResult(error)
    }
  }

  /** Stops the transfer, all waits, and pending calls except a start. */
  stop(): void {
    this.#stop.abort(new DOMException('The upload was stopped.', 'AbortError'))
  }

  /**
   * Uploads the file. If the server doesn't know the upload or lacks some of its bytes, repairs the
   * upload once and retries.
   */
  async #upload(file: File): Promise<void> {
    for (;;) {
      try {
        return await this.#attempt(file)
      } catch (error) {
        if (this.#signal.aborted || this.#record.get().restarted) throw error
        if (await this.#repair(error)) return
      }
    }
  }

  async #attempt(file: File): Promise<void> {
    const { ticket: existingTicket, uploadStartTime } = this.#record.get()
    const isResumed = uploadStartTime !== null
    const storedParts = existingTicket && isResumed ? await this.#listParts(existingTicket) : []
    const ticket = existingTicket ?? (await this.#start())
    await this.#transfer(file, ticket, storedParts, isResumed)
    await this.#confirm(ticket)
  }

  /**
   * Prepares for another attempt after an error. Returns true if the upload is already a file.
   * @throws the error if another attempt wouldn't help.
   */
  async #repair(error: unknown): Promise<boolean> {
    const { ticket } = this.#record.get()
    if (!ticket) throw error
    if (error instanceof StageError && error.stage === 'confirm') {
      // The server ends an upload after a checksum mismatch, so a new one is needed.
      if (error.callError.code === 'CHECKSUM_MISMATCH') return this.#forgetTicket()
      // A crashed server may have lost bytes it hadn't synced to disk.
      if (error.callError.code !== 'UPLOAD_INCOMPLETE') throw error
      this.#record.update({ restarted: true })
      return false
    }
    if (isUnknownUpload(error)) {
      // An earlier confirm call may have succeeded.
      try {
        await this.#confirm(ticket)
        return true
      } catch (confirmError) {
        if (!isUnknownUpload(confirmError)) throw confirmError
        return this.#forgetTicket()
      }
    }
    if (!(error instanceof TransferError)) throw error
    // A small file's presigned URL has expired. Starting over provides a new one. A larger file
    // fails instead, because starting over would discard its stored parts.
    const isUrlExpired = error.status === 403 && !ticket.parts
    // The file has changed since its upload started. Continuing would mix two versions.
    if (!isUrlExpired && error.kind !== 'changed') throw error
    await this.#deps.calls.abortUpload(ticket)
    return this.#forgetTicket()
  }

  #forgetTicket(): false {
    const initialState = { ticket: null, uploadStartTime: null, uploadedBytes: 0, progress: 0 }
    this.#record.update({ ...initialState, restarted: true })
    // The update stops the run if another tab has removed the upload.
    this.#signal.throwIfAborted()
    return false
  }

  async #confirmWithoutFile(): Promise<void> {
    const { ticket } = this.#record.get()
    if (!ticket) throw new TransferError('unreadable')
    this.#record.update({ status: 'uploading' })
    return this.#confirm(ticket)
  }

  async #start(): Promise<UploadTicket> {
    const { calls, startInLink } = this.#deps
    const record = this.#record.get()
    const { expirationDays, ownerId, id, link } = record
    const file = { ...announcedFile(record), expirationDays: String(expirationDays) }
    const outcome = await this.#callWithRetries<undefined, StartedUpload>({
      call: (_, signal) =>
        link
          ? startInLink(record, signal)
          : calls.getUploadUrl({ ...file, ownerId, idempotencyKey: id }, signal),
      input: undefined,
      shouldRetry: canRetryStart,
    })
    if (!outcome.ok) throw new StageError('start', outcome.error)
    if (this.#signal.aborted && !link) await calls.abortUpload(outcome.value)
    this.#signal.throwIfAborted()
    return toTicket(outcome.value)
  }

  async #listParts(ticket: UploadTicket): Promise<readonly StoredPart[]> {
    const outcome = await this.#callWithRetries({
      call: this.#deps.calls.listParts,
      input: ticket,
      isAbortable: true,
    })
    this.#signal.throwIfAborted()
    if (!outcome.ok) throw new StageError('start', outcome.error)
    return outcome.value.parts
  }

  async #transfer(
    file: File,
    ticket: UploadTicket,
    storedParts: readonly StoredPart[],
    isResumed: boolean,
  ): Promise<void> {
    const { sendFile, checksumsOf, timers } = this.#deps
    const signal = this.#signal
    const record = this.#record.get()
    const storedBytes = storedParts.reduce((sum, { size }) => sum + size, 0)
    const { uploadStartTime } = record
    this.#update({ status: 'uploading', ticket, uploadStartTime: uploadStartTime ?? timers.now() })
    this.#setBytes(storedBytes)
    this.#setActivity({ interruption: null, bytesPerSecond: null })
    // The checksums are optional, so a failure to compute them is ignored.
    this.#checksums = checksumsOf(file, signal).catch(() => null)
    const onProgress = this.#watchProgress(file.size, storedBytes)
    const contentType = ticket.metadata.mimeType
    const hasOriginalDate = file.lastModified === record.identity.lastModified
    const job = { file, ticket, contentType, storedParts, isResumed, signal }
    await sendFile({ ...job, hasOriginalDate, onProgress, onInterrupted: this.#onInterrupted })
    signal.throwIfAborted()
    this.#setBytes(file.size)
  }

  async #confirm({ cloudKey, uploadToken, metadata }: UploadTicket): Promise<void> {
    const checksums = await this.#checksums
    this.#signal.throwIfAborted()
    const { calls, timers } = this.#deps
    const uploadStartTime = this.#record.get().uploadStartTime ?? timers.now()
    const outcome = await this.#callWithRetries({
      call: calls.confirmUpload,
      input: { cloudKey, uploadToken, metadata, uploadStartTime, ...checksums },
      // Allow extra time, because the server first has to join a large file's parts.
      timeoutMs: requestTimeoutMs,
      isAbortable: true,
    })
    this.#signal.throwIfAborted()
    if (!outcome.ok) throw new StageError('confirm', outcome.error)
  }

  #watchProgress(size: number, storedBytes: number): (bytes: number) => void {
    const { timers } = this.#deps
    let samples: SpeedSamples = withSample([], timers.elapsed(), storedBytes)
    let reportedAt = Number.NEGATIVE_INFINITY
    let reportedBytes = 0
    return (bytes) => {
      const now = timers.elapsed()
      // Report a decrease immediately, because further progress may take a while.
      const canWait = bytes < size && bytes >= reportedBytes
      if (this.#signal.aborted || (canWait && now - reportedAt < progressIntervalMs)) return
      reportedAt = now
      reportedBytes = bytes
      samples = withSample(samples, now, bytes)
      this.#setActivity({ interruption: null, bytesPerSecond: bytesPerSecond(samples, now) })
      this.#setBytes(bytes)
    }
  }

  #setBytes(bytes: number): void {
    const record = this.#record.get()
    const { uploadedBytes, progress } = withBytes(record, bytes)
    if (uploadedBytes === record.uploadedBytes && progress === record.progress) return
    this.#update({ uploadedBytes, progress, lastActivity: this.#deps.timers.now() })
  }

  #update(changes: Partial<UploadRecord>): void {
    if (!this.#signal.aborted) this.#record.update(changes)
  }

  #callWithRetries<Input, Value>(call: RepeatedCall<Input, Value>) {
    const options = { signal: this.#signal, onInterrupted: this.#onInterrupted }
    return callWithRetries(call, options, this.#deps)
  }

  readonly #onInterrupted = (interruption: Interruption) =>
    this.#setActivity({ interruption, bytesPerSecond: null })

  #setActivity(activity: UploadActivity): void {
    this.#activity = activity
    this.#record.onActivityChange()
  }

  #toResult(error: unknown): RunResult {
    if (error instanceof StageError) {
      const { stage, callError: cause } = error
      if (cause.status === 401) return { type: 'paused', need: 'sign-in' }
      if (!this.#file && stage === 'confirm' && lacksBytes(cause)) {
        return { type: 'paused', need: 'file' }
      }
      return { type: 'failed', stage, cause, isUnreadable: false }
    }
    if (!(error instanceof TransferError)) this.#deps.reportError(error)
    const cause = error instanceof TransferError ? error : new TransferError('status')
    if (cause.kind === 'signed-out') return { type: 'paused', need: 'sign-in' }
    const isUnreadable = cause.kind === 'unreadable' || cause.kind === 'changed'
    return { type: 'failed', stage: 'transfer', cause, isUnreadable }
  }
}

function isUnknownUpload(error: unknown): boolean {
  if (error instanceof StageError) return error.callError.status === 404
  return error instanceof TransferError && (error.kind === 'gone' || error.status === 404)
}

/** True if the server lacks bytes, has different bytes, or doesn't know the upload. */
function lacksBytes({ status, code }: CallError): boolean {
  return status === 404 || code === 'UPLOAD_INCOMPLETE' || code === 'CHECKSUM_MISMATCH'
}

/** Returns the text that the user sees for a failed run, and the error code, if there is one. */
export function describeFailure(
  { path, ticket }: UploadRecord,
  { stage, cause }: RunFailure,
): { error: string; code: string | null } {
  if (cause instanceof TransferError) {
    const { kind, status } = cause
    const isS3 = ticket?.store === 's3'
    return { error: transferErrorText(path, kind, status, isS3), code: transferCode(kind, status) }
  }
  const callStage = stage === 'confirm' ? stage : 'start'
  return { error: callErrorText(callStage, path, cause), code: cause.code }
}

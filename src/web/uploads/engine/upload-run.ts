import type { File as StoredFile } from '../../../shared/contract/files.ts'
import { isMediaType } from '../../../shared/rules/files/file-kind.ts'
import type { Interruption } from '../interruption.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import type { InTurn } from '../transfer/at-most.ts'
import { mayPass } from '../transfer/retry-policy.ts'
import { callTimeoutMs, requestTimeoutMs } from '../transfer/storage-request.ts'
import {
  type CallDeps,
  mayStartAgain,
  type RepeatedCall,
  type UploadCalls,
  untilAnswered,
} from '../transfer/upload-calls.ts'
import type { Outcome } from '../upload-errors.ts'
import { type SendFile, TransferFailed, type UrlsOfParts } from '../upload-ports.ts'
import type { UploadLive } from '../uploads-state.ts'
import type { UploadData } from './upload-data.ts'
import type { ConfirmStage, RunStep, UploadEvent } from './upload-events.ts'
import { bytesPerSecond, type SpeedSamples, withSample } from './upload-speed.ts'

/** Spec §9: progress callbacks are throttled to every 500 ms. */
const progressEveryMs = 500

/** What one running upload needs from the server and the browser. */
export interface RunDeps extends CallDeps {
  calls: Omit<UploadCalls, 'gathered'>
  data: Pick<UploadData, 'file'>
  sendFile: SendFile
  /**
   * Delays the transfer until the upload may send its bytes. Absent where the transfer need not
   * wait.
   */
  inTurn?: InTurn
  /**
   * Computes the SHA-256 of all bytes, in lower-case hexadecimal; null where the browser cannot.
   */
  sha256: (file: Blob, signal: AbortSignal) => Promise<string | null>
  /** Hashes some of the bytes; null where the browser cannot. */
  sample: (file: Blob, signal: AbortSignal) => Promise<string | null>
  /**
   * Called when the server made a file of an upload that had meanwhile been cancelled or paused.
   */
  onStoredAnyway: (file: StoredFile) => void
  /**
   * Called with an error that no code here throws on purpose, such as a fault of this program. The
   * upload fails, and the error must be seen by those who look for its cause.
   */
  reportError: (error: unknown) => void
}

/** The part of the engine that a running upload needs. */
export interface RecordKeeper {
  record(id: string): UploadRecord | undefined
  /**
   * Applies an event to an upload. Returns the next step of its run; null when the event leads to
   * no step.
   */
  dispatch(id: string, event: UploadEvent): RunStep | null
  /** Called when the tabs must show something new. */
  changed(): void
}

/**
 * Runs one upload, from its start to its end. It performs one step, such as a call, and reports the
 * step's end to the engine as an event. The engine answers with the next step.
 */
export class UploadRun {
  readonly #id: string
  readonly #deps: RunDeps
  readonly #keeper: RecordKeeper
  readonly #turn = new AbortController()
  readonly #signal = this.#turn.signal
  /** Null where this tab does not have the file. The upload can then only be confirmed. */
  #file: File | null = null
  /** The presigned URLs of parts that get-upload-url answered. The next transfer uses them. */
  #signed: { cloudKey: string; partUrls: UrlsOfParts } | null = null
  #sha256: Promise<string | null> = Promise.resolve(null)
  #starting: Promise<unknown> | null = null
  #live: UploadLive | null = null

  constructor(id: string, deps: RunDeps, keeper: RecordKeeper) {
    this.#id = id
    this.#deps = deps
    this.#keeper = keeper
  }

  /**
   * The speed of the upload and what interrupts it. Null while the transfer waits for its turn.
   * Also null before that, until a call is interrupted.
   */
  get live(): UploadLive | null {
    return this.#live
  }

  /**
   * Settles when get-upload-url, the call that starts the upload, has ended. If the run was ended
   * before the answer, the promise settles only after the server was asked to free the upload slot
   * again. Null when no such call is under way.
   */
  get starting(): Promise<unknown> | null {
    return this.#starting
  }

  /** Starts the upload and returns immediately. */
  begin(): void {
    this.#file = this.#deps.data.file(this.#id) ?? null
    this.#identify()
    void this.#goOn()
  }

  /**
   * Ends the run: stops its transfer and its waits, and dispatches no further event. A running call
   * that changes something on the server still waits for its answer.
   */
  end(): void {
    this.#turn.abort(new DOMException('The turn of this upload has ended.', 'AbortError'))
  }

  /**
   * Reports each event to the engine and performs the step that the engine returns, until it
   * returns none.
   */
  async #goOn(): Promise<void> {
    let event: UploadEvent | null = { type: 'turn-began', hasFile: this.#file !== null }
    while (event && !this.#signal.aborted) {
      const step = this.#keeper.dispatch(this.#id, event)
      event = step && (await this.#do(step))
    }
  }

  /**
   * Performs a step. Returns the event that says how the step ended; null when the run was ended
   * meanwhile.
   */
  async #do(step: RunStep): Promise<UploadEvent | null> {
    try {
      switch (step.type) {
        case 'get-ticket':
          return await this.#getTicket(step.instead)
        case 'list-parts':
          return await this.#listParts(step.ticket)
        case 'transfer':
          return await this.#transfer(step)
        case 'confirm':
          return await this.#confirm(step.ticket, step.stage)
      }
    } catch (error) {
      if (this.#signal.aborted) return null
      if (error instanceof TransferFailed) {
        return { type: 'transfer-failed', kind: error.kind, status: error.status }
      }
      this.#deps.reportError(error)
      return { type: 'transfer-failed', kind: 'status', status: null }
    }
  }

  #record(): UploadRecord | undefined {
    return this.#keeper.record(this.#id)
  }

  /**
   * Computes the hash by which the file is recognised when it is chosen again, unless the record
   * has it already. Pasted content needs none, because nobody can choose it again.
   */
  #identify(): void {
    const record = this.#record()
    if (!this.#file || !record || record.pasted || record.identity.sample !== null) return
    this.#deps.sample(this.#file, this.#signal).then(
      (sample) => {
        if (sample === null || this.#signal.aborted) return
        this.#keeper.dispatch(this.#id, { type: 'identified', sample })
      },
      // An error is ignored here, because the transfer will find out whether the file can be read.
      () => undefined,
    )
  }

  #getTicket(instead: string | null): Promise<UploadEvent | null> {
    const answered = this.#start(instead).finally(() => {
      this.#starting = null
    })
    this.#starting = answered
    return answered
  }

  async #start(instead: string | null): Promise<UploadEvent | null> {
    const { calls } = this.#deps
    if (instead !== null) await calls.abortUpload(instead)
    const record = this.#record()
    if (!record || this.#signal.aborted) return null
    const started = await this.#untilAnswered({
      call: calls.getUploadUrl,
      input: {
        fileName: record.fileName,
        fileSize: record.fileSize,
        fileType: mediaTypeOf(record.fileType),
        expirationDays: String(record.expirationDays),
        ownerId: record.ownerId,
        idempotencyKey: record.id,
      },
      withinMs: callTimeoutMs,
      isPassing: mayStartAgain,
    })
    if (!started.ok) return { type: 'refused', stage: 'start', refusal: started.refusal }
    // The run was ended before the answer came, so the upload slot is freed.
    if (this.#signal.aborted) await calls.abortUpload(started.value.cloudKey)
    const { parts, ...ticket } = started.value
    if (!parts) return { type: 'ticket', ticket }
    const { urls: partUrls, ...plan } = parts
    this.#signed = { cloudKey: ticket.cloudKey, partUrls }
    return { type: 'ticket', ticket: { ...ticket, parts: plan } }
  }

  async #listParts({ cloudKey }: UploadTicket): Promise<UploadEvent> {
    const listed = await this.#untilAnswered({
      call: this.#deps.calls.listParts,
      input: { cloudKey },
      withinMs: callTimeoutMs,
      isPassing: mayPass,
      isReading: true,
    })
    return listed.ok
      ? { type: 'held', parts: listed.value.parts }
      : { type: 'refused', stage: 'resume', refusal: listed.refusal }
  }

  async #transfer({
    ticket,
    held,
    resumed,
  }: Extract<RunStep, { type: 'transfer' }>): Promise<UploadEvent> {
    const file = this.#file
    const signal = this.#signal
    const { inTurn, sendFile } = this.#deps
    if (!file) return { type: 'transfer-failed', kind: 'unreadable', status: null }
    // What interrupted the calls before is over, and the transfer may have to wait for its turn.
    this.#show(null)
    // The SHA-256 is optional: an upload continues where it cannot be computed.
    this.#sha256 = this.#deps.sha256(file, signal).catch(() => null)
    const onProgress = this.#watchProgress(
      file.size,
      held.reduce((sum, { size }) => sum + size, 0),
    )
    const contentType = ticket.metadata.mimeType
    const hasFirstDate = file.lastModified === this.#record()?.identity.lastModified
    const partUrls = this.#signed?.cloudKey === ticket.cloudKey ? this.#signed.partUrls : {}
    // These URLs are used for one transfer only. Before the next one the server may begin a new
    // multipart upload, for which they are not valid.
    this.#signed = null
    const job = { file, ticket, contentType, held, hasFirstDate, resumed, partUrls }
    const send = () => {
      this.#show({ interrupted: null, bytesPerSecond: null })
      return sendFile({ ...job, signal, onProgress, onInterrupted: this.#onInterrupted })
    }
    await (inTurn ? inTurn(signal, send) : send())
    return { type: 'sent' }
  }

  #watchProgress(size: number, held: number): (bytes: number) => void {
    const { timers } = this.#deps
    let samples: SpeedSamples = withSample([], timers.elapsed(), held)
    let shownAt = Number.NEGATIVE_INFINITY
    let shown = 0
    return (bytes) => {
      const now = timers.elapsed()
      // A lower number is shown immediately, because no further progress may come for a long time.
      const mayWait = bytes < size && bytes >= shown
      if (this.#signal.aborted || (mayWait && now - shownAt < progressEveryMs)) return
      shownAt = now
      shown = bytes
      samples = withSample(samples, now, bytes)
      this.#show({ interrupted: null, bytesPerSecond: bytesPerSecond(samples, now) })
      this.#keeper.dispatch(this.#id, { type: 'progress', bytes })
    }
  }

  async #confirm({ cloudKey, metadata }: UploadTicket, stage: ConfirmStage): Promise<UploadEvent> {
    const sha256 = (await this.#sha256) ?? undefined
    this.#signal.throwIfAborted()
    const { calls, timers, onStoredAnyway } = this.#deps
    const uploadStartTime = this.#record()?.uploadStartTime ?? timers.now()
    const confirmed = await this.#untilAnswered({
      call: calls.confirmUpload,
      input: { cloudKey, metadata, uploadStartTime, sha256 },
      // The answer may take long, because the server first joins the parts of a large file.
      withinMs: requestTimeoutMs,
      isPassing: mayPass,
    })
    if (!confirmed.ok) return { type: 'refused', stage, refusal: confirmed.refusal }
    if (this.#signal.aborted) onStoredAnyway(confirmed.value)
    return { type: 'confirmed', file: confirmed.value }
  }

  #untilAnswered<Input, Answer>(repeated: RepeatedCall<Input, Answer>): Promise<Outcome<Answer>> {
    const options = { signal: this.#signal, onInterrupted: this.#onInterrupted }
    return untilAnswered(repeated, options, this.#deps)
  }

  readonly #onInterrupted = (interrupted: Interruption) =>
    this.#show({ interrupted, bytesPerSecond: null })

  #show(live: UploadLive | null): void {
    this.#live = live
    this.#keeper.changed()
  }
}

/**
 * Returns the media type if it is valid, otherwise the empty text, which means unknown. Some
 * systems give an invalid type.
 */
function mediaTypeOf(type: string): string {
  return isMediaType(type) ? type : ''
}

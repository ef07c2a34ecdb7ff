import type { File as StoredFile } from '../../../shared/contract/files.ts'
import { isMediaType } from '../../../shared/rules/media-type.ts'
import type { Interruption } from '../interruption.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import { mayPass } from '../transfer/retry-policy.ts'
import { callTimeoutMs, requestTimeoutMs } from '../transfer/storage-request.ts'
import {
  type CallDeps,
  mayStartAgain,
  type RepeatedCall,
  type UploadCalls,
  untilAnswered,
} from '../transfer/upload-calls.ts'
import { type SendFile, TransferFailed } from '../upload-ports.ts'
import type { UploadLive } from '../uploads-state.ts'
import type { ConfirmStage, RunStep, UploadEvent } from './upload-events.ts'
import { bytesPerSecond, type SpeedSamples, withSample } from './upload-speed.ts'

/** Spec §9: progress callbacks are throttled to every 500 ms. */
const progressEveryMs = 500

/** What one upload needs from the server and the browser. */
export interface RunDeps extends CallDeps {
  calls: UploadCalls
  sendFile: SendFile
  /**
   * Computes the SHA-256 of all bytes, in lower-case hexadecimal; null where it cannot be computed.
   */
  sha256: (file: Blob, signal: AbortSignal) => Promise<string | null>
  /** Computes a hash over samples of the bytes; null where it cannot be computed. */
  sample: (file: Blob, signal: AbortSignal) => Promise<string | null>
}

/** The upload that has its turn, and the functions that its run calls. */
export interface RunningUpload {
  /** Null where storage may have the whole file. The run then only asks for the confirmation. */
  file: File | null
  record: () => UploadRecord | undefined
  /**
   * Handles an event. Returns the next step; null for none. Not called after the turn has ended.
   */
  onEvent: (event: UploadEvent) => RunStep | null
  onLive: (live: UploadLive) => void
  /** Called when an upload became a file although it was given up meanwhile. */
  onStoredAnyway: (file: StoredFile) => void
}

/**
 * One turn of one upload. It takes step after step; the event of each step leads to the next one.
 */
export interface UploadRun {
  /** Sends the event that the turn has come, and takes the steps that follow. Returns at once. */
  begin(): void
  /** Takes a step, and those that follow. Resolves when the turn has ended. */
  take(step: RunStep | null): Promise<void>
  /**
   * Settles when the running start has its answer. After the turn has ended, it settles only once
   * the place that the start was given is freed. Null where no start is running.
   */
  starting(): Promise<unknown> | null
  /** Stops all calls and transfers. No event follows. */
  end(): void
}

/** Creates the run of an upload's turn. */
export function createRun(deps: RunDeps, upload: RunningUpload): UploadRun {
  const { calls, timers } = deps
  const { file, onEvent, onLive } = upload
  const turn = new AbortController()
  const { signal } = turn
  /** The URLs of parts that came with the ticket, for the transfer that follows. */
  let signed: { cloudKey: string; partUrls: Record<string, string> } | null = null
  let sha256: Promise<string | null> = Promise.resolve(null)
  let starting: Promise<unknown> | null = null

  function begin(): void {
    identify()
    void take(onEvent({ type: 'run', hasFile: file !== null }))
  }

  /** Computes the hash over samples that recognises the file, if it is not known yet. */
  function identify(): void {
    const record = upload.record()
    if (!file || !record || record.pasted || record.identity.sample !== null) return
    deps.sample(file, signal).then(
      (sample) => {
        if (sample !== null && !signal.aborted) onEvent({ type: 'identified', sample })
      },
      // An error is ignored here, because the transfer will find out whether the file can be read.
      () => undefined,
    )
  }

  async function take(first: RunStep | null): Promise<void> {
    let step = first
    while (step) {
      const event = await outcomeOf(step)
      if (!event || signal.aborted) return
      step = onEvent(event)
    }
  }

  async function outcomeOf(step: RunStep): Promise<UploadEvent | null> {
    try {
      return await perform(step)
    } catch (error) {
      const { kind, status } =
        error instanceof TransferFailed ? error : new TransferFailed('status')
      return { type: 'transfer-failed', kind, status }
    }
  }

  function perform(step: RunStep): Promise<UploadEvent | null> {
    switch (step.type) {
      case 'get-ticket':
        return getTicket(step.instead)
      case 'list-parts':
        return listParts(step.ticket)
      case 'transfer':
        return transfer(step)
      case 'confirm':
        return confirm(step.ticket, step.stage)
    }
  }

  function getTicket(instead: string | null): Promise<UploadEvent | null> {
    const ask = async () => {
      if (instead !== null) await calls.abortUpload(instead)
      const record = upload.record()
      return record && !signal.aborted ? start(record) : null
    }
    const answered = ask().finally(() => {
      starting = null
    })
    starting = answered
    return answered
  }

  async function start(record: UploadRecord): Promise<UploadEvent | null> {
    const request = {
      fileName: record.fileName,
      fileSize: record.fileSize,
      fileType: mediaTypeOf(record.fileType),
      expirationDays: String(record.expirationDays),
      ownerId: record.ownerId,
      idempotencyKey: record.id,
    }
    const started = await askUntilAnswered({
      ask: (limit) => calls.getUploadUrl(request, limit),
      withinMs: callTimeoutMs,
      isPassing: mayStartAgain,
    })
    if (!started.ok) return { type: 'refused', stage: 'start', refusal: started.refusal }
    // The upload was given up before the answer came, so its place is freed.
    if (signal.aborted) await calls.abortUpload(started.value.cloudKey)
    const { parts, ...ticket } = started.value
    if (!parts) return { type: 'ticket', ticket }
    const { urls: partUrls, ...plan } = parts
    signed = { cloudKey: ticket.cloudKey, partUrls }
    return { type: 'ticket', ticket: { ...ticket, parts: plan } }
  }

  async function listParts({ cloudKey }: UploadTicket): Promise<UploadEvent> {
    const listed = await askUntilAnswered({
      ask: (limit) => calls.listParts({ cloudKey }, AbortSignal.any([signal, limit])),
      withinMs: callTimeoutMs,
      isPassing: mayPass,
    })
    return listed.ok
      ? { type: 'held', parts: listed.value.parts }
      : { type: 'refused', stage: 'resume', refusal: listed.refusal }
  }

  async function transfer({
    ticket,
    held,
    resumed,
  }: Extract<RunStep, { type: 'transfer' }>): Promise<UploadEvent> {
    if (!file) return { type: 'transfer-failed', kind: 'unreadable', status: null }
    // The SHA-256 is optional: an upload goes on where it cannot be computed.
    sha256 = deps.sha256(file, signal).catch(() => null)
    const onProgress = watchProgress(
      file.size,
      held.reduce((sum, { size }) => sum + size, 0),
    )
    const contentType = ticket.metadata.mimeType
    const hasFirstDate = file.lastModified === upload.record()?.identity.lastModified
    const partUrls = signed?.cloudKey === ticket.cloudKey ? signed.partUrls : {}
    // The URLs serve only one transfer, because storage may start the upload again before the next
    // one.
    signed = null
    const job = { file, ticket, contentType, held, hasFirstDate, resumed, partUrls }
    await deps.sendFile({ ...job, signal, onProgress, onInterrupted })
    return { type: 'sent' }
  }

  function watchProgress(size: number, held: number): (bytes: number) => void {
    let samples: SpeedSamples = withSample([], timers.elapsed(), held)
    let shownAt = Number.NEGATIVE_INFINITY
    let shown = 0
    return (bytes) => {
      const now = timers.elapsed()
      // A fall is shown at once, because no further progress may come for a long time.
      const mayWait = bytes < size && bytes >= shown
      if (signal.aborted || (mayWait && now - shownAt < progressEveryMs)) return
      shownAt = now
      shown = bytes
      samples = withSample(samples, now, bytes)
      onLive({ interrupted: null, bytesPerSecond: bytesPerSecond(samples, now) })
      onEvent({ type: 'progress', bytes })
    }
  }

  async function confirm(
    { cloudKey, metadata }: UploadTicket,
    stage: ConfirmStage,
  ): Promise<UploadEvent> {
    const hash = (await sha256) ?? undefined
    signal.throwIfAborted()
    const request = {
      cloudKey,
      metadata,
      uploadStartTime: upload.record()?.uploadStartTime ?? timers.now(),
      sha256: hash,
    }
    const confirmed = await askUntilAnswered({
      ask: (limit) => calls.confirmUpload(request, limit),
      // Storage joins the parts of a large file before it answers.
      withinMs: requestTimeoutMs,
      isPassing: mayPass,
    })
    if (!confirmed.ok) return { type: 'refused', stage, refusal: confirmed.refusal }
    if (signal.aborted) upload.onStoredAnyway(confirmed.value)
    return { type: 'confirmed', file: confirmed.value }
  }

  function askUntilAnswered<T>(question: RepeatedCall<T>) {
    return untilAnswered(question, { signal, onInterrupted }, deps)
  }

  function onInterrupted(interrupted: Interruption): void {
    onLive({ interrupted, bytesPerSecond: null })
  }

  return {
    begin,
    take,
    starting: () => starting,
    end: () => turn.abort(new DOMException('The turn of this upload has ended.', 'AbortError')),
  }
}

/**
 * Returns the type if it is valid. Some systems give an invalid one; an empty type means unknown.
 */
function mediaTypeOf(type: string): string {
  return isMediaType(type) ? type : ''
}

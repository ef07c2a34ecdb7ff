import type { File as StoredFile } from '../../../shared/contract/files.ts'
import { isMediaType } from '../../../shared/rules/media-type.ts'
import type { Interruption } from '../interruption.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import { questionTimeoutMs, requestTimeoutMs } from '../transfer/next-step.ts'
import {
  mayStartAgain,
  type Question,
  type Repeating,
  type UploadCalls,
  untilAnswered,
} from '../transfer/upload-calls.ts'
import { mayPass } from '../upload-errors.ts'
import { type SendFile, TransferFailed } from '../upload-ports.ts'
import type { UploadLive } from '../uploads-state.ts'
import type { UploadEffect, UploadEvent } from './upload-events.ts'
import { bytesPerSecond, type SpeedSamples, withSample } from './upload-speed.ts'

/** Spec §9: progress callbacks are throttled to every 500 ms. */
const progressEveryMs = 500

/** The parts of the world that one upload needs. */
export interface RunEffects extends Omit<Repeating, 'onInterrupted'> {
  calls: UploadCalls
  sendFile: SendFile
  /** Of all bytes, in lower-case hexadecimal; null where it cannot be reckoned. */
  sha256: (file: Blob, signal: AbortSignal) => Promise<string | null>
  /** Of samples of the bytes; null where it cannot be reckoned. */
  sample: (file: Blob, signal: AbortSignal) => Promise<string | null>
}

/** What a run needs to know of its upload, and whom it tells. */
export interface RunDuties {
  /** Null where storage may have all of it: then only the confirmation is asked for. */
  file: File | null
  record: () => UploadRecord | undefined
  /** Not called any more once the turn has ended. */
  onEvent: (event: UploadEvent) => void
  onLive: (live: UploadLive) => void
  /** A file came of an upload that had been given up meanwhile. */
  onStoredAnyway: (file: StoredFile) => void
}

type Effect<Type extends UploadEffect['type']> = Extract<UploadEffect, { type: Type }>

/**
 * Does what the machine asks for during one turn of one upload. Each of these returns at once; what
 * comes of it is told as an event, unless the turn has ended before.
 */
export interface UploadRun {
  /** Reckons the sampled hash that will recognise the file, where it is not known yet. */
  identify(): void
  getTicket(effect: Effect<'get-ticket'>): void
  listParts(effect: Effect<'list-parts'>): void
  transfer(effect: Effect<'transfer'>): void
  confirm(effect: Effect<'confirm'>): void
  /**
   * Settles when the start that is under way has its answer; once the turn has ended, when the place
   * that it was given has been freed as well. Null where none is under way.
   */
  starting(): Promise<unknown> | null
  /** Whatever is under way stops, and nothing is heard of it any more. */
  end(): void
}

/** What some systems give as a type is none; an empty one says that nothing is known. */
const mediaTypeOf = (type: string) => (isMediaType(type) ? type : '')

export const startRun = (effects: RunEffects, duties: RunDuties): UploadRun => {
  const { calls, timers } = effects
  const { file, onEvent, onLive } = duties
  const turn = new AbortController()
  const { signal } = turn
  /** Came with the ticket, for the transfer that follows. */
  let signed: { cloudKey: string; partUrls: Record<string, string> } | null = null
  let hash: Promise<string | null> = Promise.resolve(null)
  let starting: Promise<unknown> | null = null

  const onInterrupted = (interrupted: Interruption) => onLive({ interrupted, bytesPerSecond: null })
  const asked = <T>(question: Question<T>) =>
    untilAnswered(question, signal, { ...effects, onInterrupted })

  /** Runs a piece of the turn; what it rejects with once the turn has ended is of no interest. */
  const during = (work: () => Promise<UploadEvent | null>) => {
    work().then(
      (event) => {
        if (event && !signal.aborted) onEvent(event)
      },
      (error: unknown) => {
        if (signal.aborted) return
        const { kind, status } =
          error instanceof TransferFailed ? error : new TransferFailed('status')
        onEvent({ type: 'transfer-failed', kind, status })
      },
    )
  }

  const start = async (record: UploadRecord): Promise<UploadEvent | null> => {
    const request = {
      fileName: record.fileName,
      fileSize: record.fileSize,
      fileType: mediaTypeOf(record.fileType),
      expirationDays: String(record.expirationDays),
      ownerId: record.ownerId,
      idempotencyKey: record.id,
    }
    const started = await asked({
      ask: (limit) => calls.getUploadUrl(request, limit),
      withinMs: questionTimeoutMs,
      isPassing: mayStartAgain,
    })
    if (!started.ok) return { type: 'refused', stage: 'start', refusal: started.refusal }
    // Given up while the answer was on its way: the place is freed.
    if (signal.aborted) await calls.abortUpload(started.value.cloudKey)
    const { parts, ...ticket } = started.value
    if (!parts) return { type: 'ticket', ticket }
    const { urls: partUrls, ...plan } = parts
    signed = { cloudKey: ticket.cloudKey, partUrls }
    return { type: 'ticket', ticket: { ...ticket, parts: plan } }
  }

  const watchProgress = (size: number, held: number) => {
    let samples: SpeedSamples = withSample([], timers.elapsed(), held)
    let shownAt = Number.NEGATIVE_INFINITY
    let shown = 0
    return (bytes: number) => {
      const now = timers.elapsed()
      // A fall is shown at once, since after it nothing more may come for long.
      const mayWait = bytes < size && bytes >= shown
      if (signal.aborted || (mayWait && now - shownAt < progressEveryMs)) return
      shownAt = now
      shown = bytes
      samples = withSample(samples, now, bytes)
      onLive({ interrupted: null, bytesPerSecond: bytesPerSecond(samples, now) })
      onEvent({ type: 'progress', bytes })
    }
  }

  const confirm = async (
    ticket: UploadTicket,
    stage: Effect<'confirm'>['stage'],
  ): Promise<UploadEvent> => {
    const sha256 = (await hash) ?? undefined
    signal.throwIfAborted()
    const request = {
      cloudKey: ticket.cloudKey,
      metadata: ticket.metadata,
      uploadStartTime: duties.record()?.uploadStartTime ?? timers.now(),
      sha256,
    }
    const confirmed = await asked({
      ask: (limit) => calls.confirmUpload(request, limit),
      // Storage puts the parts of a large file together before it answers.
      withinMs: requestTimeoutMs,
      isPassing: mayPass,
    })
    if (!confirmed.ok) return { type: 'refused', stage, refusal: confirmed.refusal }
    if (signal.aborted) duties.onStoredAnyway(confirmed.value)
    return { type: 'confirmed', file: confirmed.value }
  }

  return {
    identify: () => {
      const record = duties.record()
      if (!file || !record || record.pasted || record.identity.sample !== null) return
      effects.sample(file, signal).then(
        (sample) => {
          if (sample !== null && !signal.aborted) onEvent({ type: 'identified', sample })
        },
        // Whether it can be read is for the transfer to find out.
        () => undefined,
      )
    },
    getTicket: ({ instead }) => {
      const ask = async () => {
        if (instead !== null) await calls.abortUpload(instead)
        const record = duties.record()
        return record && !signal.aborted ? start(record) : null
      }
      const answered = ask().finally(() => {
        starting = null
      })
      starting = answered
      during(() => answered)
    },
    listParts: ({ ticket }) =>
      during(async () => {
        const listed = await asked({
          ask: (limit) =>
            calls.listParts({ cloudKey: ticket.cloudKey }, AbortSignal.any([signal, limit])),
          withinMs: questionTimeoutMs,
          isPassing: mayPass,
        })
        return listed.ok
          ? { type: 'held', parts: listed.value.parts }
          : { type: 'refused', stage: 'resume', refusal: listed.refusal }
      }),
    transfer: ({ ticket, held, resumed }) => {
      if (!file) return onEvent({ type: 'transfer-failed', kind: 'unreadable', status: null })
      // A file without its SHA-256 is still a file: nothing fails for want of it.
      hash = effects.sha256(file, signal).catch(() => null)
      const onProgress = watchProgress(
        file.size,
        held.reduce((sum, { size }) => sum + size, 0),
      )
      const contentType = ticket.metadata.mimeType
      const hasFirstDate = file.lastModified === duties.record()?.identity.lastModified
      const partUrls = signed?.cloudKey === ticket.cloudKey ? signed.partUrls : {}
      // Storage may have begun the upload anew before another transfer of it.
      signed = null
      const bytes = { file, ticket, contentType, held, hasFirstDate, resumed, partUrls }
      during(async () => {
        await effects.sendFile({ ...bytes, signal, onProgress, onInterrupted })
        return { type: 'sent' }
      })
    },
    confirm: ({ ticket, stage }) => during(() => confirm(ticket, stage)),
    starting: () => starting,
    end: () => turn.abort(new DOMException('The turn of this upload has ended.', 'AbortError')),
  }
}

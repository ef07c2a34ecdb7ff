import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { ExpirationDays } from '../../shared/rules/lifetime.ts'
import { maxFruitlessTries, retryWaitMs } from './next-step.ts'
import { type TransferDeps, transferFile } from './transfer.ts'
import { mayPass, type Outcome, type Refusal, refusalText, type Stage } from './upload-failure.ts'
import { TransferFailed, type TransferJob } from './upload-ports.ts'
import type { UploadTicket } from './upload-record.ts'

/** A file and how long its link is to live; the size is in bytes. */
export interface UploadWish {
  file: Blob
  /** The cleaned name. */
  name: string
  size: number
  expirationDays: ExpirationDays
}

/** What an upload does to the world outside. None of the calls throws. */
export interface UploadEffects extends TransferDeps {
  getUploadUrl: (request: {
    fileName: string
    fileSize: number
    fileType: string
    expirationDays: string
  }) => Promise<Outcome<UploadTicket>>
  confirmUpload: (request: {
    cloudKey: string
    metadata: Record<string, unknown>
    uploadStartTime: number
  }) => Promise<Outcome<StoredFile>>
  /** Frees the place of an upload that will not be finished; nobody waits for it. */
  abortUpload: (cloudKey: string) => void
  /** Milliseconds since 1970. */
  now: () => number
}

/** An upload that did not become a file; the message is what a person reads. */
export class UploadFailed extends Error {
  override readonly name = 'UploadFailed'
  readonly stage: Stage
  /** What the server answered; null when it was not the server that refused. */
  readonly refusal: Refusal | null

  constructor(stage: Stage, message: string, refusal: Refusal | null = null) {
    super(message)
    this.stage = stage
    this.refusal = refusal
  }
}

const refused = (stage: 'start' | 'confirm', refusal: Refusal) =>
  new UploadFailed(stage, refusalText(stage, refusal), refusal)

/** What some systems give as a type is none; an empty one says that nothing is known. */
const mediaTypeOf = (file: Blob) => (/^[^\s/;]+\/[^\s/;]+$/.test(file.type) ? file.type : '')

/**
 * The whole way of one file (spec §7): get-upload-url, PUT, confirm-upload. What cannot be finished
 * is given up at the server too, so that it takes no place of the tier's.
 * @throws {UploadFailed}
 * @throws the reason of the signal when that fires before the file is confirmed.
 */
export const uploadFile = async (
  upload: UploadWish,
  effects: UploadEffects,
  signal: AbortSignal,
  watch: Pick<TransferJob, 'onProgress' | 'onInterrupted'>,
): Promise<StoredFile> => {
  const uploadStartTime = effects.now()
  const ticket = await start(upload, effects, signal)
  const { cloudKey, metadata } = ticket
  try {
    const { file } = upload
    const contentType = metadata.mimeType
    const job = { file, ticket, contentType, held: [], resumed: false, signal, ...watch }
    await transferFile(job, effects)
    return await confirm({ cloudKey, metadata, uploadStartTime }, effects, signal)
  } catch (error) {
    // Harmless when the confirmation did arrive: a file is no upload any more.
    effects.abortUpload(cloudKey)
    if (error instanceof TransferFailed) throw new UploadFailed('transfer', error.message)
    throw error
  }
}

/** Asks for a place, once; only a browser that is offline waits and asks again. */
const start = async (
  upload: UploadWish,
  effects: UploadEffects,
  signal: AbortSignal,
): Promise<UploadTicket> => {
  for (;;) {
    signal.throwIfAborted()
    const started = await effects.getUploadUrl({
      fileName: upload.name,
      fileSize: upload.size,
      fileType: mediaTypeOf(upload.file),
      expirationDays: String(upload.expirationDays),
    })
    if (started.ok) return started.value
    signal.throwIfAborted()
    const isOffline = started.refusal.status === null && !effects.connection.isOnline()
    if (!isOffline) throw refused('start', started.refusal)
    await effects.connection.untilOnline(signal)
  }
}

/** Confirms, again and again where no answer came: confirming twice gives one file. */
const confirm = async (
  request: Parameters<UploadEffects['confirmUpload']>[0],
  effects: UploadEffects,
  signal: AbortSignal,
): Promise<StoredFile> => {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    const confirmed = await effects.confirmUpload(request)
    if (confirmed.ok) return confirmed.value
    if (!mayPass(confirmed.refusal) || tries >= maxFruitlessTries) {
      throw refused('confirm', confirmed.refusal)
    }
    await effects.wait(retryWaitMs(tries), signal)
    await effects.connection.untilOnline(signal)
  }
}

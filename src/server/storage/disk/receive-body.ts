import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { Logger } from 'pino'
import type { Clock } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { BlockWriter } from './block-writer.ts'
import type { FileDigests } from './file-digests.ts'
import type { Folders } from './folders.ts'
import type { GatheredBytes } from './gathered-bytes.ts'
import type { HeldParts } from './held-parts.ts'
import type { UploadRoom } from './upload-room.ts'
import type { WriteLocks } from './write-locks.ts'

const touchEveryMs = 60_000

/** What the data plane asks of the uploads' records. */
export interface UploadActivity {
  /**
   * Notes that bytes are arriving under a key. Answers whether an open upload has it: false once
   * it was aborted or confirmed. Called when a request begins and then once a minute at most.
   */
  touch(key: string): Promise<boolean>
}

export interface UploadReceiver {
  folders: Folders
  locks: WriteLocks
  parts: HeldParts
  digests: FileDigests
  /** The transfers of whole files that are running, by key. */
  running: Map<string, BlockWriter>
  memory: GatheredBytes
  room: UploadRoom
  uploads: UploadActivity
  clock: Clock
  log: Logger
}

/** A body on its way in. */
export interface Incoming {
  request: IncomingMessage
  response: ServerResponse
  /** Ends it early, with the refusal as its reason. */
  stop: AbortSignal
}

/**
 * Streams the body into the writer; resolves when all that came is written, also when the client
 * left early.
 * @throws {AppError} the reason of `stop`, and what the writer refuses; and errors of the disk.
 */
export async function receiveBody(incoming: Incoming, writer: BlockWriter): Promise<void> {
  const { request, response, stop } = incoming
  // Whatever ends the request early, the bytes that came are written before anybody looks again.
  const endEarly = () => {
    request.unpipe(writer)
    writer.end()
  }
  stop.addEventListener('abort', endEarly)
  request.once('close', endEarly)
  try {
    if (request.headers.expect !== undefined) response.writeContinue()
    request.pipe(writer)
    if (stop.aborted || request.destroyed) endEarly()
    await finished(writer)
  } finally {
    request.off('close', endEarly)
    stop.removeEventListener('abort', endEarly)
  }
  stop.throwIfAborted()
}

/** @throws {AppError} UPLOAD_SEALED or UPLOAD_NOT_FOUND when no open upload has the key. */
export async function assertOpen(
  key: string,
  { folders, uploads }: Pick<UploadReceiver, 'folders' | 'uploads'>,
): Promise<void> {
  const open = await uploads.touch(key)
  if ((await folders.sealedSize(key)) !== null) throw new AppError('UPLOAD_SEALED')
  if (!open) throw new AppError('UPLOAD_NOT_FOUND')
}

/**
 * What is done with each chunk before it is written: it takes its room on the disk, and once a minute
 * the uploads' records are told that bytes are arriving; an upload that is over ends.
 * @returns a function that rejects with STORAGE_FULL when there is no room for the chunk.
 */
export function admitChunks(
  key: string,
  receiver: UploadReceiver,
): (chunk: Buffer) => Promise<void> | undefined {
  const { clock, log, room } = receiver
  let touchedAt = clock().getTime()
  return (chunk) => {
    if (!room.take(key, chunk.length)) return Promise.reject(new AppError('STORAGE_FULL'))
    const now = clock().getTime()
    if (now - touchedAt < touchEveryMs) return undefined
    touchedAt = now
    return assertOpen(key, receiver).catch((error) => {
      if (error instanceof AppError) throw error
      // The records being away for a moment is no reason to lose a transfer; the next minute asks.
      log.warn({ err: error, key }, 'could not note the activity of an upload')
    })
  }
}

/** 200 to a PUT whose bytes are all there, up to `offset` of what its URL names. */
export function answerStored(response: ServerResponse, offset: number): void {
  if (response.destroyed) return
  response.writeHead(200, {
    'Content-Length': 0,
    'Cache-Control': 'no-store',
    'Upload-Offset': offset,
  })
  response.end()
}

/** 200 to a HEAD: so many bytes of so many are stored. */
export function answerOffset(response: ServerResponse, offset: number, length: number): void {
  response.writeHead(200, {
    'Cache-Control': 'no-store',
    'Upload-Offset': offset,
    'Upload-Length': length,
  })
  response.end()
}

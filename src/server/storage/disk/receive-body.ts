import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { Logger } from 'pino'
import type { Clock } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { UploadSpace } from '../../space/disk-space.ts'
import type { BlockWriter } from './block-writer.ts'
import type { Folders } from './folders.ts'
import type { GatheredBytes } from './gathered-bytes.ts'
import type { PartLists } from './part-lists.ts'
import type { TransferMeter } from './transfer-meter.ts'
import type { WriteLocks } from './write-locks.ts'

const touchEveryMs = 60_000

/** With this a transfer reads and updates the row of its upload in the database. */
export interface UploadActivity {
  /**
   * Records that bytes are arriving under a key. Returns false when no open upload has the key,
   * because the upload was aborted or confirmed. It is called when a request begins, and then at
   * most once a minute.
   */
  touch(key: string): Promise<boolean>
}

export interface UploadReceiver {
  folders: Folders
  locks: WriteLocks
  parts: PartLists
  /** The writers of whole files that are being received, by key. */
  running: Map<string, BlockWriter>
  memory: GatheredBytes
  space: UploadSpace
  uploads: UploadActivity
  meter: TransferMeter
  clock: Clock
  log: Logger
}

/** A request whose body is arriving. */
export interface Incoming {
  request: IncomingMessage
  response: ServerResponse
  /** Aborts to end the body early. Its reason is the error that the client gets. */
  stop: AbortSignal
}

/**
 * Streams the body into the writer. Resolves when all bytes that arrived are written, even if the
 * client left early.
 * @throws {AppError} the reason of `stop`, the errors of the writer, and errors of the disk.
 */
export async function receiveBody(incoming: Incoming, writer: BlockWriter): Promise<void> {
  const { request, response, stop } = incoming
  // Even if the request ends early, the bytes that arrived are written before this function
  // returns.
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

/**
 * Checks that an open upload has the key, and that its bytes are not sealed.
 * @throws {AppError} UPLOAD_SEALED when the bytes are sealed, even if the upload is still open;
 * UPLOAD_NOT_FOUND when no open upload has the key.
 */
export async function assertOpen(
  key: string,
  { folders, uploads }: Pick<UploadReceiver, 'folders' | 'uploads'>,
): Promise<void> {
  const open = await uploads.touch(key)
  if ((await folders.sealedSize(key)) !== null) throw new AppError('UPLOAD_SEALED')
  if (!open) throw new AppError('UPLOAD_NOT_FOUND')
}

/**
 * Makes the function that checks each chunk before it is written. It takes the space for it on
 * the disk, counts them, and records once a minute that the upload is active. If the upload has
 * been ended in the meantime, the function rejects.
 * @returns a function that rejects with STORAGE_FULL when too little space would stay free.
 */
export function admitChunks(
  key: string,
  receiver: UploadReceiver,
): (chunk: Buffer) => Promise<void> | undefined {
  const { clock, log, meter, space } = receiver
  let touchedAt = clock().getTime()
  return (chunk) => {
    meter.bytes('upload', chunk.length)
    if (!space.take(chunk.length)) return Promise.reject(new AppError('STORAGE_FULL'))
    const now = clock().getTime()
    if (now - touchedAt < touchEveryMs) return undefined
    touchedAt = now
    return assertOpen(key, receiver).catch((error) => {
      if (error instanceof AppError) throw error
      // A short failure of the database must not end a transfer. The database is asked again after
      // a minute.
      log.warn({ err: error, key }, 'could not note the activity of an upload')
    })
  }
}

/** Answers 200 to a PUT. `offset` is how many bytes of the file or the part are stored. */
export function answerStored(response: ServerResponse, offset: number): void {
  if (response.destroyed) return
  response.writeHead(200, {
    'Content-Length': 0,
    'Cache-Control': 'no-store',
    'Upload-Offset': offset,
  })
  response.end()
}

/** Answers 200 to a HEAD: `offset` of `length` bytes are stored. */
export function answerOffset(response: ServerResponse, offset: number, length: number): void {
  response.writeHead(200, {
    'Cache-Control': 'no-store',
    'Upload-Offset': offset,
    'Upload-Length': length,
  })
  response.end()
}

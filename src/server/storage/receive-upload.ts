import type { FileHandle } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { Logger } from 'pino'
import type { Clock } from '../deps.ts'
import { AppError } from '../errors.ts'
import { BlockWriter } from './block-writer.ts'
import type { Folders } from './folders.ts'
import type { UploadGrant } from './storage.ts'
import type { UploadLanes } from './upload-lanes.ts'

const touchEveryMilliseconds = 60_000

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
  lanes: UploadLanes
  /** The transfers that are running, by key. */
  running: Map<string, BlockWriter>
  uploads: UploadActivity
  clock: Clock
  log: Logger
}

/**
 * PUT of a presigned upload URL: the bytes go straight into the object, from its beginning, or with
 * `Range: bytes=n-` from the stored offset n on. Answers 200 when the object holds all of
 * `grant.size`. What arrived before a connection broke stays, for the next request to continue.
 * @throws {AppError} with the stored `Upload-Offset` where the client can go on from there.
 */
export async function receiveUpload(
  request: IncomingMessage,
  response: ServerResponse,
  grant: UploadGrant,
  receiver: UploadReceiver,
): Promise<void> {
  const { headers } = request
  const start = requestedOffset(headers, grant.size)
  assertSignedType(headers, grant.mimeType)
  assertSignedLength(headers, grant.size - (start ?? 0))
  const lane = await receiver.lanes.enter(grant.key, new AppError('UPLOAD_SUPERSEDED'))
  try {
    await assertOpen(grant.key, receiver)
    lane.signal.throwIfAborted()
    // Nobody is there any more: nothing may be thrown away for a request without a body.
    if (request.destroyed) return
    const file = await receiver.folders.openUpload(
      grant.key,
      start === undefined ? 'start over' : 'continue',
    )
    try {
      await receiveInto(file, start ?? 0, { request, response, grant, receiver, stop: lane.signal })
    } finally {
      await file.close()
    }
  } finally {
    lane.leave()
  }
  if (response.destroyed) return
  response.writeHead(200, {
    'Content-Length': 0,
    'Cache-Control': 'no-store',
    'Upload-Offset': grant.size,
  })
  response.end()
}

/**
 * HEAD of a presigned upload URL: `Upload-Offset` is the number of bytes that are stored and would
 * survive a power cut. A transfer that is running goes on.
 * @throws {AppError} UPLOAD_NOT_FOUND when no upload, open or complete, has the key.
 */
export async function answerUploadOffset(
  response: ServerResponse,
  grant: UploadGrant,
  { folders, running, uploads }: UploadReceiver,
): Promise<void> {
  const open = await uploads.touch(grant.key)
  await running.get(grant.key)?.flush()
  const offset =
    (await folders.sealedSize(grant.key)) ??
    (open ? await folders.durableUploadSize(grant.key) : null)
  if (offset === null) throw new AppError('UPLOAD_NOT_FOUND')
  response.writeHead(200, {
    'Cache-Control': 'no-store',
    'Upload-Offset': offset,
    'Upload-Length': grant.size,
  })
  response.end()
}

interface Transfer {
  request: IncomingMessage
  response: ServerResponse
  grant: UploadGrant
  receiver: UploadReceiver
  stop: AbortSignal
}

async function receiveInto(file: FileHandle, start: number, transfer: Transfer): Promise<void> {
  const { request, response, grant, receiver, stop } = transfer
  const { size: stored } = await file.stat()
  if (stored !== start)
    throw new AppError('OFFSET_MISMATCH', { headers: { 'Upload-Offset': String(stored) } })
  const writer = new BlockWriter({ file, start, limit: grant.size, onBytes: heartbeat(transfer) })
  // Whatever ends the request early, the bytes that came are written before anybody looks again.
  const endEarly = () => {
    request.unpipe(writer)
    writer.end()
  }
  receiver.running.set(grant.key, writer)
  stop.addEventListener('abort', endEarly)
  request.once('close', endEarly)
  try {
    if (request.headers.expect !== undefined) response.writeContinue()
    request.pipe(writer)
    if (stop.aborted || request.destroyed) endEarly()
    await finished(writer)
  } catch (error) {
    // A body that is too long leaves nothing behind, least of all a file of the right size.
    if (error instanceof AppError && error.code === 'FILE_TOO_LARGE') await file.truncate(start)
    throw error
  } finally {
    request.off('close', endEarly)
    stop.removeEventListener('abort', endEarly)
    receiver.running.delete(grant.key)
  }
  stop.throwIfAborted()
  if (writer.offset < grant.size) {
    throw new AppError('UPLOAD_INCOMPLETE', { headers: { 'Upload-Offset': String(writer.offset) } })
  }
}

/** Tells the uploads' records, once a minute, that bytes are arriving; an upload that is over ends. */
function heartbeat({ grant, receiver }: Transfer): () => Promise<void> | undefined {
  const { clock, log } = receiver
  let touchedAt = clock().getTime()
  return () => {
    const now = clock().getTime()
    if (now - touchedAt < touchEveryMilliseconds) return undefined
    touchedAt = now
    return assertOpen(grant.key, receiver).catch((error) => {
      if (error instanceof AppError) throw error
      // The records being away for a moment is no reason to lose a transfer; the next minute asks.
      log.warn({ err: error, key: grant.key }, 'could not note the activity of an upload')
    })
  }
}

async function assertOpen(key: string, { folders, uploads }: UploadReceiver): Promise<void> {
  const open = await uploads.touch(key)
  if ((await folders.sealedSize(key)) !== null) throw new AppError('UPLOAD_SEALED')
  if (!open) throw new AppError('UPLOAD_NOT_FOUND')
}

/**
 * The offset that `Range: bytes=n-` continues from; undefined when the body is the whole file. A
 * header that is not understood must not pass for its absence: the tail would be stored as the file.
 */
function requestedOffset(headers: IncomingHttpHeaders, size: number): number | undefined {
  if (headers['content-range'] !== undefined) throw new AppError('INVALID_INPUT')
  if (headers.range === undefined) return undefined
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/i.exec(headers.range)
  if (!match) throw new AppError('INVALID_INPUT')
  const [, first, last] = match
  if (last !== '' && Number(last) !== size - 1) throw new AppError('INVALID_INPUT')
  return Number(first)
}

function assertSignedType(headers: IncomingHttpHeaders, signed: string): void {
  // A body without a type is application/octet-stream (RFC 9110 §8.3), and browsers send none for
  // a file they do not know.
  const sent = headers['content-type'] ?? 'application/octet-stream'
  const mediaType = sent.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== signed.toLowerCase()) throw new AppError('SIGNATURE_INVALID')
}

/** Refuses an announced length that cannot end well before a byte of it is read. */
function assertSignedLength(headers: IncomingHttpHeaders, expected: number): void {
  if (headers['transfer-encoding'] !== undefined || expected < 0) return
  const length = Number(headers['content-length'] ?? 0)
  if (length > expected) throw new AppError('FILE_TOO_LARGE')
  if (length < expected) throw new AppError('UPLOAD_INCOMPLETE')
}

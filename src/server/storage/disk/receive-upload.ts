import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Clock } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { UploadSpace } from '../../space/disk-space.ts'
import type { ReceivedBody } from '../storage.ts'
import type { TransferMeter } from '../transfers.ts'
import { type WriteResult, writeBody } from './body-writer.ts'
import { combineCrc32s, type SizedCrc32 } from './crc32.ts'
import type { Folders } from './folders.ts'
import type { PartLists } from './part-lists.ts'
import type { SignedGrant } from './signed-url.ts'
import { assertSignedHeaders, parseCrc32Header, parseResumeOffset } from './upload-headers.ts'
import type { WriteLocks } from './write-locks.ts'

const touchIntervalMs = 60_000

/** Records upload activity in the database. */
export interface UploadActivity {
  /**
   * Records that bytes are arriving under a key. Returns false if the key has no open upload
   * because it was aborted or confirmed.
   */
  touch(key: string): Promise<boolean>
}

export interface UploadReceiver {
  folders: Folders
  locks: WriteLocks
  parts: PartLists
  /**
   * The CRC-32s of files, by key, from their upload until `digest` has read the sealed file. They
   * are lost when the process ends, and after that only `digest` can compute them.
   */
  crc32s: Map<string, SizedCrc32>
  space: UploadSpace
  uploads: UploadActivity
  meter: TransferMeter
  clock: Clock
  log: Logger
}

/**
 * After these errors, the bytes received by the request are discarded. Otherwise a body that is too
 * long or corrupted could leave a file with the right size but the wrong bytes.
 */
const discardingErrors = new Set<string>(['FILE_TOO_LARGE', 'CHECKSUM_MISMATCH'])

/**
 * Handles a PUT to a presigned upload URL. Writes the bytes directly to their offset in the file.
 * Answers 200 once the whole file or part is stored.
 *
 * A whole file starts over, or resumes with `Range: bytes=n-`, where n is the number of stored
 * bytes. Bytes received before a disconnect are kept. A part must be sent in a single request, but
 * several parts can arrive concurrently. A whole-file upload replaces earlier parts and vice versa.
 * @throws {AppError} with the stored `Upload-Offset` if the client can resume from there.
 * STORAGE_FULL if the disk has no space for the rest; FILE_TOO_LARGE, CHECKSUM_MISMATCH or
 * UPLOAD_INCOMPLETE if the body differs from what was announced; UPLOAD_SUPERSEDED if a newer
 * request writes the same bytes; UPLOAD_SEALED and UPLOAD_NOT_FOUND as in `assertOpen`. A request
 * that is rejected before its body arrives changes nothing.
 */
export async function receiveUpload(
  request: IncomingMessage,
  response: ServerResponse,
  grant: SignedGrant,
  receiver: UploadReceiver,
): Promise<void> {
  const { headers } = request
  const { crc32s, locks, parts, space } = receiver
  const { key, size } = grant
  const isPart = grant.operation === 'part'
  const resumeOffset = parseResumeOffset(headers, grant)
  const start = isPart ? grant.offset : (resumeOffset ?? 0)
  const limit = isPart ? start + size : size
  assertSignedHeaders(headers, grant, limit - start)
  const checksum = parseCrc32Header(headers)
  // Check before acquiring the lock, because acquiring it aborts parts that are still arriving.
  if (resumeOffset && (await parts.hasParts(key))) throw offsetMismatch(0)
  const lock = await locks.acquire(key, 'UPLOAD_SUPERSEDED', isPart ? grant.partNumber : undefined)
  try {
    await assertOpen(key, receiver)
    lock.signal.throwIfAborted()
    // If the client has already disconnected, no body will arrive, so don't discard stored bytes
    // for it.
    if (request.destroyed) return
    if (!(await space.hasSpaceFor(limit - start))) throw new AppError('STORAGE_FULL')
    const file = isPart
      ? await parts.openPart(grant)
      : await openWholeFile(key, resumeOffset, receiver)
    const keepCrc32 = isPart ? undefined : extendCrc32(crc32s, key, start)
    try {
      const target = { file, start, limit, admit: admitBytes(key, receiver) }
      const result = await writeBody({ request, response, signal: lock.signal }, target)
      keepCrc32?.(result)
      if (result.endOffset < limit) {
        const headers = { 'Upload-Offset': String(result.endOffset) }
        throw new AppError('UPLOAD_INCOMPLETE', isPart ? {} : { headers })
      }
      if (checksum !== undefined && checksum !== result.crc32) {
        throw new AppError('CHECKSUM_MISMATCH')
      }
      if (isPart) await parts.recordPart(file, grant, result.crc32)
    } catch (error) {
      const shouldDiscard = error instanceof AppError && discardingErrors.has(error.code)
      if (shouldDiscard && !isPart) {
        crc32s.delete(key)
        await file.truncate(start)
      }
      throw error
    } finally {
      await file.close()
    }
  } finally {
    lock.release()
  }
  if (response.destroyed) return
  const responseHeaders = {
    'Content-Length': 0,
    'Cache-Control': 'no-store',
    'Upload-Offset': size,
  }
  response.writeHead(200, responseHeaders).end()
}

/** Stores a body whose length may be unknown, as `Storage.receive` does. */
export async function receiveBody(
  { key, maxSize }: { key: string; maxSize: number },
  { request, response, onReceived }: ReceivedBody,
  { folders, locks, crc32s, space }: UploadReceiver,
): Promise<number> {
  const lock = await locks.acquire(key, 'UPLOAD_SUPERSEDED')
  try {
    const file = await folders.openUpload(key)
    try {
      const admit = async (bytes: number) => {
        if (!space.reserveSpace(bytes)) throw new AppError('STORAGE_FULL')
        await onReceived(bytes)
      }
      const target = { file, start: 0, limit: maxSize, admit }
      const { endOffset, crc32 } = await writeBody(
        { request, response, signal: lock.signal },
        target,
      )
      if (!request.complete) throw new AppError('UPLOAD_INCOMPLETE')
      crc32s.set(key, { size: endOffset, crc32 })
      return endOffset
    } finally {
      await file.close()
    }
  } finally {
    lock.release()
  }
}

/**
 * Handles a HEAD to a presigned upload URL. `Upload-Offset` is the number of the file's or part's
 * bytes that are durable. It is 0 for an incomplete part, and for a whole file while the upload is
 * in parts. Doesn't interrupt running transfers.
 * @throws {AppError} UPLOAD_NOT_FOUND if the key has no open upload and no sealed object.
 */
export async function sendOffset(
  response: ServerResponse,
  grant: SignedGrant,
  { folders, parts, uploads }: UploadReceiver,
): Promise<void> {
  const { key, size } = grant
  const isOpen = await uploads.touch(key)
  const countStoredBytes = async () => {
    const storedParts = await parts.read(key)
    if (grant.operation === 'put') return storedParts ? 0 : folders.durableUploadSize(key)
    return storedParts?.find(({ partNumber }) => partNumber === grant.partNumber)?.size ?? 0
  }
  const isSealed = (await folders.sealedSize(key)) !== null
  if (!isSealed && !isOpen) throw new AppError('UPLOAD_NOT_FOUND')
  response.writeHead(200, {
    'Cache-Control': 'no-store',
    'Upload-Offset': isSealed ? size : await countStoredBytes(),
    'Upload-Length': size,
  })
  response.end()
}

/**
 * Opens an upload's file to resume at `start`, which must equal the stored size. Without `start`,
 * empties the file.
 */
async function openWholeFile(
  key: string,
  start: number | undefined,
  { folders, parts }: UploadReceiver,
): Promise<FileHandle> {
  const isRestart = start === undefined || (await parts.hasParts(key))
  if (isRestart && start) throw offsetMismatch(0)
  if (isRestart) await folders.discard(key)
  const file = await folders.openUpload(key)
  const { size: storedBytes } = await file.stat()
  if (storedBytes === (start ?? 0)) return file
  await file.close()
  throw offsetMismatch(storedBytes)
}

/**
 * Removes a whole file's CRC-32, because the bytes from `start` on are about to change. The
 * returned function adds the CRC-32 of the file including the body that was written.
 */
function extendCrc32(crc32s: UploadReceiver['crc32s'], key: string, start: number) {
  const before = start === 0 ? { size: 0, crc32: 0 } : crc32s.get(key)
  crc32s.delete(key)
  return ({ endOffset, crc32 }: WriteResult) => {
    if (before) crc32s.set(key, combineCrc32s([before, { size: endOffset - start, crc32 }]))
  }
}

/**
 * Asserts that the key has an open upload whose bytes aren't sealed.
 * @throws {AppError} UPLOAD_SEALED if the bytes are sealed, even if the upload is still open;
 * UPLOAD_NOT_FOUND if there is no open upload.
 */
async function assertOpen(key: string, { folders, uploads }: UploadReceiver): Promise<void> {
  const isOpen = await uploads.touch(key)
  if ((await folders.sealedSize(key)) !== null) throw new AppError('UPLOAD_SEALED')
  if (!isOpen) throw new AppError('UPLOAD_NOT_FOUND')
}

/**
 * Returns the `admit` function for `writeBody`. It reserves space for the bytes, counts them, and
 * records activity on the upload once a minute. It rejects with STORAGE_FULL if too little space
 * would remain free, or with the same errors as `assertOpen` if the upload has ended.
 */
function admitBytes(key: string, receiver: UploadReceiver) {
  const { clock, log, meter, space } = receiver
  let touchedAt = clock().getTime()
  return async (bytes: number): Promise<void> => {
    meter.addBytes('upload', bytes)
    if (!space.reserveSpace(bytes)) throw new AppError('STORAGE_FULL')
    const now = clock().getTime()
    if (now - touchedAt < touchIntervalMs) return
    touchedAt = now
    try {
      await assertOpen(key, receiver)
    } catch (error) {
      if (error instanceof AppError) throw error
      // A brief database outage must not end a transfer.
      log.warn({ err: error, key }, 'could not record the activity of an upload')
    }
  }
}

function offsetMismatch(storedBytes: number): AppError {
  return new AppError('OFFSET_MISMATCH', { headers: { 'Upload-Offset': String(storedBytes) } })
}

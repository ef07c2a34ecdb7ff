import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Clock } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { UploadSpace } from '../../space/disk-space.ts'
import { writeBody } from './body-writer.ts'
import type { Folders } from './folders.ts'
import type { PartLists } from './part-lists.ts'
import type { SignedGrant } from './signed-url.ts'
import type { TransferMeter } from './transfers.ts'
import { announcedCrc32, assertSignedHeaders, requestedOffset } from './upload-headers.ts'
import type { WriteLocks } from './write-locks.ts'

const touchEveryMs = 60_000

/** With this a transfer reads and updates the row of its upload in the database. */
export interface UploadActivity {
  /**
   * Records that bytes are arriving under a key. Returns false when no open upload has the key,
   * because the upload was aborted or confirmed.
   */
  touch(key: string): Promise<boolean>
}

export interface UploadReceiver {
  folders: Folders
  locks: WriteLocks
  parts: PartLists
  space: UploadSpace
  uploads: UploadActivity
  meter: TransferMeter
  clock: Clock
  log: Logger
}

/** A presigned URL for an upload allows to send a whole file, or one part of it. */
export type PutGrant = Exclude<SignedGrant, { operation: 'get' }>

/**
 * After these errors the bytes of the body are removed. Otherwise a body that is too long or
 * damaged could leave a file of the right size.
 */
const leavesNothing = new Set<string>(['FILE_TOO_LARGE', 'CHECKSUM_MISMATCH'])

/**
 * Answers a PUT to a presigned upload URL. The bytes are written directly to their place in the
 * file. The answer is 200 when the whole file or part is there.
 *
 * A whole file starts over, or continues with `Range: bytes=n-` from the offset n, where the stored
 * bytes end. Bytes that arrived before a connection broke stay. A part is sent completely or not at
 * all, while other parts may arrive too. A file that is sent whole replaces its parts, and the
 * other way round: what is begun last counts.
 * @throws {AppError} with the stored `Upload-Offset` if the client can go on from there.
 * STORAGE_FULL when the disk has no room for the rest; FILE_TOO_LARGE, CHECKSUM_MISMATCH or
 * UPLOAD_INCOMPLETE when the body is not what was announced; UPLOAD_SUPERSEDED when a newer request
 * writes the same bytes; UPLOAD_SEALED and UPLOAD_NOT_FOUND as `assertOpen`. A request that is
 * refused before its body arrives changes nothing.
 */
export async function receiveUpload(
  request: IncomingMessage,
  response: ServerResponse,
  grant: PutGrant,
  receiver: UploadReceiver,
): Promise<void> {
  const { headers } = request
  const { locks, parts, space } = receiver
  const { key, size } = grant
  const isPart = grant.operation === 'part'
  const resumedAt = requestedOffset(headers, grant)
  const start = isPart ? grant.offset : (resumedAt ?? 0)
  const limit = isPart ? start + size : size
  assertSignedHeaders(headers, grant, limit - start)
  const checksum = announcedCrc32(headers)
  // This check comes before the lock, because the lock would stop parts that are arriving.
  if (resumedAt && (await parts.isInParts(key))) throw offsetMismatch(0)
  const lock = await locks.acquire(key, 'UPLOAD_SUPERSEDED', isPart ? grant.partNumber : undefined)
  try {
    await assertOpen(key, receiver)
    lock.signal.throwIfAborted()
    // If the client has already left, no body will arrive. So this request must not remove any
    // stored bytes.
    if (request.destroyed) return
    if (!(await space.hasSpaceFor(limit - start))) throw new AppError('STORAGE_FULL')
    const file = isPart ? await parts.begin(grant) : await openWhole(key, resumedAt, receiver)
    try {
      const target = { file, start, limit, admit: admitBytes(key, receiver) }
      const written = await writeBody({ request, response, stop: lock.signal }, target)
      if (written.end < limit) {
        const headers = { 'Upload-Offset': String(written.end) }
        throw new AppError('UPLOAD_INCOMPLETE', isPart ? {} : { headers })
      }
      if (checksum !== undefined && checksum !== written.crc32) {
        throw new AppError('CHECKSUM_MISMATCH')
      }
      if (isPart) await parts.hold(file, grant, written.crc32)
    } catch (error) {
      const isToRemove = error instanceof AppError && leavesNothing.has(error.code)
      if (isToRemove && !isPart) await file.truncate(start)
      throw error
    } finally {
      await file.close()
    }
  } finally {
    lock.release()
  }
  if (response.destroyed) return
  const stored = { 'Content-Length': 0, 'Cache-Control': 'no-store', 'Upload-Offset': size }
  response.writeHead(200, stored).end()
}

/**
 * Answers a HEAD to a presigned upload URL. `Upload-Offset` is how many bytes of the file or part
 * would survive a power cut. A part that is not complete has 0, and so has a whole file while the
 * upload is in parts. A running transfer goes on.
 * @throws {AppError} UPLOAD_NOT_FOUND when no upload, open or complete, has the key.
 */
export async function answerOffset(
  response: ServerResponse,
  grant: PutGrant,
  { folders, parts, uploads }: UploadReceiver,
): Promise<void> {
  const { key, size } = grant
  const open = await uploads.touch(key)
  const arrived = async () => {
    const held = await parts.read(key)
    if (grant.operation === 'put') return held ? 0 : folders.durableUploadSize(key)
    return held?.find(({ partNumber }) => partNumber === grant.partNumber)?.size ?? 0
  }
  const isSealed = (await folders.sealedSize(key)) !== null
  if (!isSealed && !open) throw new AppError('UPLOAD_NOT_FOUND')
  response.writeHead(200, {
    'Cache-Control': 'no-store',
    'Upload-Offset': isSealed ? size : await arrived(),
    'Upload-Length': size,
  })
  response.end()
}

/**
 * Opens the file of an upload to continue at `start`, which must be its stored size. Without
 * `start`, empties the file.
 */
async function openWhole(
  key: string,
  start: number | undefined,
  { folders, parts }: UploadReceiver,
): Promise<FileHandle> {
  const startsOver = start === undefined || (await parts.isInParts(key))
  if (startsOver && start) throw offsetMismatch(0)
  if (startsOver) await folders.discard(key)
  const file = await folders.openUpload(key)
  const { size: stored } = await file.stat()
  if (stored === (start ?? 0)) return file
  await file.close()
  throw offsetMismatch(stored)
}

/**
 * Checks that an open upload has the key, and that its bytes are not sealed.
 * @throws {AppError} UPLOAD_SEALED when the bytes are sealed, even if the upload is still open;
 * UPLOAD_NOT_FOUND when no open upload has the key.
 */
async function assertOpen(key: string, { folders, uploads }: UploadReceiver): Promise<void> {
  const open = await uploads.touch(key)
  if ((await folders.sealedSize(key)) !== null) throw new AppError('UPLOAD_SEALED')
  if (!open) throw new AppError('UPLOAD_NOT_FOUND')
}

/**
 * Returns the function that is called before bytes are written. It takes their space, counts them,
 * and records once a minute that the upload is active.
 * @returns a function that rejects with STORAGE_FULL when too little space would stay free, and as
 * `assertOpen` when the upload has ended in the meantime.
 */
function admitBytes(key: string, receiver: UploadReceiver) {
  const { clock, log, meter, space } = receiver
  let touchedAt = clock().getTime()
  return async (bytes: number): Promise<void> => {
    meter.bytes('upload', bytes)
    if (!space.take(bytes)) throw new AppError('STORAGE_FULL')
    const now = clock().getTime()
    if (now - touchedAt < touchEveryMs) return
    touchedAt = now
    try {
      await assertOpen(key, receiver)
    } catch (error) {
      if (error instanceof AppError) throw error
      // A short failure of the database must not end a transfer.
      log.warn({ err: error, key }, 'could not note the activity of an upload')
    }
  }
}

function offsetMismatch(stored: number): AppError {
  return new AppError('OFFSET_MISMATCH', { headers: { 'Upload-Offset': String(stored) } })
}

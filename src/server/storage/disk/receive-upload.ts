import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import { AppError } from '../../errors.ts'
import type { UploadGrant } from '../storage.ts'
import { BlockWriter } from './block-writer.ts'
import {
  admitChunks,
  answerOffset,
  answerStored,
  assertOpen,
  type Incoming,
  receiveBody,
  type UploadReceiver,
} from './receive-body.ts'
import {
  announcedCrc32,
  assertSignedLength,
  assertSignedType,
  requestedOffset,
} from './upload-headers.ts'

/**
 * Answers a PUT to a presigned upload URL. The bytes are written directly into the file: from its
 * beginning, or with `Range: bytes=n-` from the offset n, where the stored bytes end. The answer is
 * 200 when the file has `grant.size` bytes. Bytes that arrived before a connection broke stay, so
 * that the next request can continue. A file that is sent from its beginning replaces parts that
 * have arrived.
 * @throws {AppError} with the stored `Upload-Offset` if the client can go on from there.
 * STORAGE_FULL when the disk has no room for the rest; the stored bytes stay. CHECKSUM_MISMATCH
 * when the body differs from the checksum that was sent with it, FILE_TOO_LARGE when it is too
 * long; its bytes are removed.
 */
export async function receiveUpload(
  request: IncomingMessage,
  response: ServerResponse,
  grant: UploadGrant,
  receiver: UploadReceiver,
): Promise<void> {
  const { headers } = request
  const { locks, parts } = receiver
  const start = requestedOffset(headers, grant.size)
  assertSignedType(headers, grant.mimeType)
  assertSignedLength(headers, grant.size - (start ?? 0))
  const checksum = announcedCrc32(headers)
  // This check comes before the lock, because the lock would stop parts that are arriving.
  if (start && (await parts.isInParts(grant.key))) throw offsetMismatch(0)
  const lock = await locks.acquire(grant.key, 'UPLOAD_SUPERSEDED')
  try {
    await assertOpen(grant.key, receiver)
    lock.signal.throwIfAborted()
    // If the client has already left, no body will arrive. So this request must not remove any
    // stored bytes.
    if (request.destroyed) return
    const left = grant.size - (start ?? 0)
    if (!(await receiver.space.hasSpaceFor(left))) throw new AppError('STORAGE_FULL')
    const file = await openFor(grant.key, start, receiver)
    try {
      const incoming = { request, response, stop: lock.signal }
      await receiveInto(file, { start: start ?? 0, grant, checksum }, incoming, receiver)
    } finally {
      await file.close()
    }
  } finally {
    lock.release()
  }
  answerStored(response, grant.size)
}

/**
 * Answers a HEAD to a presigned upload URL. `Upload-Offset` is how many stored bytes would survive
 * a power cut, or 0 while the upload is in parts. A running transfer goes on.
 * @throws {AppError} UPLOAD_NOT_FOUND when no upload, open or complete, has the key.
 */
export async function answerUploadOffset(
  response: ServerResponse,
  { key, size }: UploadGrant,
  { folders, parts, running, uploads }: UploadReceiver,
): Promise<void> {
  const open = await uploads.touch(key)
  await running.get(key)?.flush()
  const arrived = async () => ((await parts.isInParts(key)) ? 0 : folders.durableUploadSize(key))
  const offset = (await folders.sealedSize(key)) ?? (open ? await arrived() : null)
  if (offset === null) throw new AppError('UPLOAD_NOT_FOUND')
  answerOffset(response, offset, size)
}

/**
 * Opens the file to continue at `start`, which must be its stored size. Without `start`, empties
 * the file.
 */
async function openFor(
  key: string,
  start: number | undefined,
  { folders, parts }: UploadReceiver,
): Promise<FileHandle> {
  const isInParts = await parts.isInParts(key)
  if (isInParts && start) throw offsetMismatch(0)
  if (isInParts || start === undefined) await parts.discard(key)
  if (start === undefined) return await folders.openUpload(key, 'start over')
  const file = await folders.openUpload(key, 'continue')
  try {
    const { size: stored } = await file.stat()
    if (stored !== start) throw offsetMismatch(stored)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

interface WholeFile {
  /** The offset in the file at which the body begins. */
  start: number
  grant: UploadGrant
  /** The CRC-32 that the body must have; undefined when the client sent none. */
  checksum: number | undefined
}

async function receiveInto(
  file: FileHandle,
  { start, grant, checksum }: WholeFile,
  incoming: Incoming,
  receiver: UploadReceiver,
): Promise<void> {
  const { key, size } = grant
  const { running } = receiver
  const admit = admitChunks(key, receiver)
  let crc = 0
  const writer = new BlockWriter({
    file,
    memory: receiver.memory,
    start,
    limit: size,
    onBytes: (chunk) => {
      if (checksum !== undefined) crc = crc32(chunk, crc)
      return admit(chunk)
    },
  })
  running.set(key, writer)
  try {
    await receiveBody(incoming, writer)
    if (writer.offset < size) {
      const headers = { 'Upload-Offset': String(writer.offset) }
      throw new AppError('UPLOAD_INCOMPLETE', { headers })
    }
    if (checksum !== undefined && checksum !== crc) throw new AppError('CHECKSUM_MISMATCH')
  } catch (error) {
    if (error instanceof AppError && leavesNothing.has(error.code)) {
      await file.truncate(start)
    }
    throw error
  } finally {
    running.delete(key)
  }
}

/**
 * After these errors the bytes of the body are removed. Otherwise a body that is too long or
 * damaged could leave a file of the right size.
 */
const leavesNothing = new Set<string>(['FILE_TOO_LARGE', 'CHECKSUM_MISMATCH'])

function offsetMismatch(stored: number) {
  return new AppError('OFFSET_MISMATCH', { headers: { 'Upload-Offset': String(stored) } })
}

import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import { AppError } from '../../errors.ts'
import type { PartGrant } from '../storage.ts'
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
  assertNoRange,
  assertSignedLength,
  assertSignedType,
} from './upload-headers.ts'

/**
 * Answers a PUT to a part's presigned URL. The bytes are written directly into the file, at the
 * part's offset, while other parts may arrive too. The answer is 200 when the part has arrived
 * completely. A part that is sent again does not count until it has arrived again. The first part
 * replaces bytes that came by a PUT of the whole file.
 * @throws {AppError} UPLOAD_INCOMPLETE when the body ends early, CHECKSUM_MISMATCH when it differs
 * from the checksum that was sent with it, FILE_TOO_LARGE when it is too long, STORAGE_FULL when
 * the disk has no room for it. After an error while the body arrives, the part does not count. A
 * request that is refused before that leaves the stored part as it is.
 */
export async function receivePart(
  request: IncomingMessage,
  response: ServerResponse,
  grant: PartGrant,
  receiver: UploadReceiver,
): Promise<void> {
  const { headers } = request
  const { key, partNumber, size } = grant
  assertNoRange(headers)
  assertSignedType(headers, grant.mimeType)
  assertSignedLength(headers, size)
  const checksum = announcedCrc32(headers)
  const lock = await receiver.locks.acquire(key, 'UPLOAD_SUPERSEDED', partNumber)
  try {
    await assertOpen(key, receiver)
    lock.signal.throwIfAborted()
    // If the client has already left, no body will arrive. So this request must not remove any
    // stored bytes.
    if (request.destroyed) return
    if (!(await receiver.space.hasSpaceFor(size))) throw new AppError('STORAGE_FULL')
    const file = await receiver.parts.begin(grant)
    try {
      const incoming = { request, response, stop: lock.signal }
      const crc = await receiveInto(file, grant, incoming, receiver)
      if (checksum !== undefined && checksum !== crc) throw new AppError('CHECKSUM_MISMATCH')
      await receiver.parts.hold(file, grant, crc)
    } finally {
      await file.close()
    }
  } finally {
    lock.release()
  }
  answerStored(response, size)
}

/**
 * Answers a HEAD to a part's presigned URL. `Upload-Offset` is the part's size if the part has
 * arrived completely, or else 0, because a part is always sent from its beginning.
 * @throws {AppError} UPLOAD_NOT_FOUND when no upload, open or complete, has the key.
 */
export async function answerPartOffset(
  response: ServerResponse,
  { key, partNumber, size }: PartGrant,
  { folders, parts, uploads }: UploadReceiver,
): Promise<void> {
  const open = await uploads.touch(key)
  const isSealed = (await folders.sealedSize(key)) !== null
  if (!open && !isSealed) throw new AppError('UPLOAD_NOT_FOUND')
  const held = (await parts.read(key)) ?? []
  const hasArrived = isSealed || held.some((part) => part.partNumber === partNumber)
  answerOffset(response, hasArrived ? size : 0, size)
}

/**
 * Writes the part and returns the CRC-32 of its bytes. After a restart, the server checks the
 * stored part with it.
 */
async function receiveInto(
  file: FileHandle,
  { key, offset, size }: PartGrant,
  incoming: Incoming,
  receiver: UploadReceiver,
): Promise<number> {
  const admit = admitChunks(key, receiver)
  let crc = 0
  const writer = new BlockWriter({
    file,
    memory: receiver.memory,
    start: offset,
    limit: offset + size,
    onBytes: (chunk) => {
      crc = crc32(chunk, crc)
      return admit(chunk)
    },
  })
  await receiveBody(incoming, writer)
  if (writer.offset < offset + size) throw new AppError('UPLOAD_INCOMPLETE')
  return crc
}

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
 * PUT of a part's presigned URL: the bytes go straight to their place in the file, beside other
 * parts that arrive at the same time. Answers 200 when the part is held whole; one that is sent
 * again is not held until it has arrived again. Bytes of the whole file give way to the first part.
 * @throws {AppError} UPLOAD_INCOMPLETE when the body ends early, CHECKSUM_MISMATCH when it does not
 * give the checksum sent along, STORAGE_FULL when the disk has no room for it: the part is not held.
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
    // Nobody is there any more: nothing may be thrown away for a request without a body.
    if (request.destroyed) return
    if (!(await receiver.room.renew(key, size))) throw new AppError('STORAGE_FULL')
    const file = await receiver.parts.begin(grant)
    try {
      const incoming = { request, response, stop: lock.signal }
      const crc = await receiveInto(file, grant, incoming, receiver)
      if (checksum !== undefined && checksum !== crc) throw new AppError('CHECKSUM_MISMATCH')
      await receiver.parts.hold(grant, crc)
    } finally {
      await file.close()
    }
  } finally {
    lock.release()
  }
  answerStored(response, size)
}

/**
 * HEAD of a part's presigned URL: `Upload-Offset` is the part's size when it is held, and 0 when it
 * has to be sent, for a part is never continued.
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
  answerOffset(response, isSealed ? size : await parts.sizeOf(key, partNumber), size)
}

/** Writes the part; the CRC-32 of what was written is always reckoned, for after a restart. */
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

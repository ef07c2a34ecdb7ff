import { toInterruption } from '../interruption.ts'
import { TransferError, type TransferJob } from '../upload-ports.ts'
import type { Checksums } from './checksums.ts'
import { isReadable } from './hash-blob.ts'
import { isTransient } from './retry-policy.ts'
import { requestTimeoutMs, type Send, type StorageResponse } from './storage-request.ts'
import type { CallDeps } from './upload-calls.ts'

export interface TransferDeps extends CallDeps {
  send: Send
  checksums: Pick<Checksums, 'part'>
}

/** The body of a single PUT request. */
interface Piece {
  url: string
  /** The piece's position in the file, in bytes. */
  offset: number
  size: number
  /** True if the piece is the rest of the file and storage already has all bytes before it. */
  isRemainder?: boolean
  stallMs: number
  signal: AbortSignal
  /** Called with the number of this piece's bytes that have been sent. */
  onSent: (bytes: number) => void
}

/**
 * Sends bytes of a file in one PUT, with their checksum. Returns null once storage has the bytes,
 * or the failed response if another attempt may succeed.
 * @throws {TransferError} if another attempt wouldn't help; `unreadable` if the file was changed or
 * removed.
 * @throws {FileUnreadableError} if the file is unreadable while its checksum is computed.
 * @throws the signal's reason when aborted.
 */
export async function putBytes(
  { file, ticket, contentType }: TransferJob,
  piece: Piece,
  { send, checksums }: TransferDeps,
): Promise<StorageResponse | null> {
  const { offset, size, isRemainder = false, ...request } = piece
  // Send a slice even for the whole file. If the file was chosen in another tab, browsers let this
  // tab send only slices of it.
  const body = file.slice(offset, offset + size)
  const checksum = isRemainder ? null : await checksums.part(body, ticket.checksum, piece.signal)
  const checksumHeader = ticket.checksum === 'crc32' ? 'x-amz-checksum-crc32' : 'Content-MD5'
  const headers = {
    'Content-Type': contentType,
    ...(isRemainder && { Range: `bytes=${offset}-` }),
    ...(checksum !== null && { [checksumHeader]: checksum }),
  }
  const timeoutMs = requestTimeoutMs
  const response = await send({ ...request, method: 'PUT', headers, body, timeoutMs })
  if (isStored(response)) return null
  // If the file was changed or removed, the request fails as if the connection were lost.
  if (response.kind === 'network' && !(await isReadable(file, offset))) {
    throw new TransferError('unreadable')
  }
  if (!shouldRetryPut(response)) throw toTransferError(response)
  return response
}

/**
 * Spec §7: success is 200 or 204. `UPLOAD_SEALED` means that an earlier confirm call found all
 * bytes in storage.
 */
function isStored({ status, code }: StorageResponse): boolean {
  return status === 200 || status === 204 || code === 'UPLOAD_SEALED'
}

/**
 * Storage error codes for a body that arrived incomplete or altered, or that didn't arrive at all.
 */
const retryableCodes = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'UPLOAD_INCOMPLETE',
  'UPLOAD_SUPERSEDED',
  'CHECKSUM_MISMATCH',
  'BadDigest',
  'XAmzContentChecksumMismatch',
])

/** True if another PUT may succeed, possibly with a new URL (403) or another offset (416). */
function shouldRetryPut(response: StorageResponse): boolean {
  const { status, code, uploadOffset } = response
  if (isTransient(response) || retryableCodes.has(code ?? '')) return true
  return status === 403 || (status === 416 && uploadOffset !== null)
}

/** Converts a failed transfer's last response to an error. */
export function toTransferError(response: StorageResponse): TransferError {
  if (response.kind === 'timeout') return new TransferError('timeout')
  if (response.kind !== 'response') return new TransferError('network')
  const { status } = response
  if (toInterruption(response) === 'disk-full') return new TransferError('disk-full', status)
  return new TransferError(status === 404 || status === 410 ? 'gone' : 'status', status)
}

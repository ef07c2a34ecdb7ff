import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../../errors.ts'

/**
 * Refuses a body whose type is not the one that was signed, or whose announced length is not
 * `expected`, before a byte of it is read.
 */
export function assertSignedHeaders(
  headers: IncomingHttpHeaders,
  { mimeType }: { mimeType: string },
  expected: number,
): void {
  // A body without a type counts as application/octet-stream (RFC 9110 §8.3). Browsers send no type
  // for a file they do not know.
  const sent = headers['content-type'] ?? 'application/octet-stream'
  const mediaType = sent.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== mimeType.toLowerCase()) throw new AppError('SIGNATURE_INVALID')
  if (headers['transfer-encoding'] !== undefined || expected < 0) return
  const length = Number(headers['content-length'] ?? 0)
  if (length > expected) throw new AppError('FILE_TOO_LARGE')
  if (length < expected) throw new AppError('UPLOAD_INCOMPLETE')
}

/**
 * Returns the offset from which `Range: bytes=n-` continues a whole file; undefined when the body
 * is the whole file or part. The range may also name the last byte of the file as its end. Any
 * other form of the header is refused, and every range of a part. If it were ignored, the end of a
 * file would be stored as the whole file.
 */
export function requestedOffset(
  headers: IncomingHttpHeaders,
  { operation, size }: { operation: 'put' | 'part'; size: number },
): number | undefined {
  if (headers['content-range'] !== undefined) throw new AppError('INVALID_INPUT')
  if (headers.range === undefined) return undefined
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/i.exec(headers.range)
  if (!match || operation === 'part') throw new AppError('INVALID_INPUT')
  const [, first, last] = match
  if (last !== '' && Number(last) !== size - 1) throw new AppError('INVALID_INPUT')
  return Number(first)
}

/**
 * Returns the CRC-32 that the body must have (design §5, upload protocol); undefined when the
 * client sends none.
 */
export function announcedCrc32(headers: IncomingHttpHeaders): number | undefined {
  const sent = headers['x-amz-checksum-crc32']
  if (sent === undefined) return undefined
  // Four bytes have exactly one form in base64: the four bits that are left over must be zero.
  if (typeof sent !== 'string' || !/^[A-Za-z0-9+/]{5}[AQgw]==$/.test(sent)) {
    throw new AppError('INVALID_INPUT')
  }
  return Buffer.from(sent, 'base64').readUInt32BE()
}

import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../../errors.ts'

/** Refuses another type than was signed. */
export function assertSignedType(headers: IncomingHttpHeaders, signed: string): void {
  // A body without a type is application/octet-stream (RFC 9110 §8.3), and browsers send none for
  // a file they do not know.
  const sent = headers['content-type'] ?? 'application/octet-stream'
  const mediaType = sent.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== signed.toLowerCase()) throw new AppError('SIGNATURE_INVALID')
}

/** Refuses an announced length that cannot end well before a byte of it is read. */
export function assertSignedLength(headers: IncomingHttpHeaders, expected: number): void {
  if (headers['transfer-encoding'] !== undefined || expected < 0) return
  const length = Number(headers['content-length'] ?? 0)
  if (length > expected) throw new AppError('FILE_TOO_LARGE')
  if (length < expected) throw new AppError('UPLOAD_INCOMPLETE')
}

/**
 * The offset that `Range: bytes=n-` continues from; undefined when the body is the whole file. A
 * header that is not understood must not pass for its absence: the tail would be stored as the file.
 */
export function requestedOffset(headers: IncomingHttpHeaders, size: number): number | undefined {
  if (headers['content-range'] !== undefined) throw new AppError('INVALID_INPUT')
  if (headers.range === undefined) return undefined
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/i.exec(headers.range)
  if (!match) throw new AppError('INVALID_INPUT')
  const [, first, last] = match
  if (last !== '' && Number(last) !== size - 1) throw new AppError('INVALID_INPUT')
  return Number(first)
}

/** Refuses a piece of a part, which is sent whole or not at all. */
export function assertNoRange({ range, 'content-range': contentRange }: IncomingHttpHeaders): void {
  if (range !== undefined || contentRange !== undefined) throw new AppError('INVALID_INPUT')
}

/** The CRC-32 that the body must give (design §5, upload protocol); undefined when none is sent. */
export function announcedCrc32(headers: IncomingHttpHeaders): number | undefined {
  const sent = headers['x-amz-checksum-crc32']
  if (sent === undefined) return undefined
  // Four bytes, and no second way to write them: the two bits that would be left over are zero.
  if (typeof sent !== 'string' || !/^[A-Za-z0-9+/]{5}[AQgw]==$/.test(sent)) {
    throw new AppError('INVALID_INPUT')
  }
  return Buffer.from(sent, 'base64').readUInt32BE()
}

import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../../errors.ts'

/**
 * Rejects a body before reading it if its type isn't the signed one or its announced length isn't
 * `expectedLength`.
 */
export function assertSignedHeaders(
  headers: IncomingHttpHeaders,
  { mimeType }: { mimeType: string },
  expectedLength: number,
): void {
  // A body without a type counts as application/octet-stream (RFC 9110 §8.3). Browsers send no type
  // for unknown kinds of files.
  const contentType = headers['content-type'] ?? 'application/octet-stream'
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== mimeType.toLowerCase()) throw new AppError('SIGNATURE_INVALID')
  if (headers['transfer-encoding'] !== undefined || expectedLength < 0) return
  const length = Number(headers['content-length'] ?? 0)
  if (length > expectedLength) throw new AppError('FILE_TOO_LARGE')
  if (length < expectedLength) throw new AppError('UPLOAD_INCOMPLETE')
}

/**
 * Returns the offset at which `Range: bytes=n-` resumes a whole file, or undefined if the body is
 * the whole file or part. The range may also name the file's last byte as its end. Any other form
 * is rejected, and so is any range for a part. If a range were ignored, the end of a file would be
 * stored as the whole file.
 */
export function parseResumeOffset(
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
 * Returns the CRC-32 that the client announced for the body (design §5, upload protocol), or
 * undefined if it sent none.
 */
export function parseCrc32Header(headers: IncomingHttpHeaders): number | undefined {
  const header = headers['x-amz-checksum-crc32']
  if (header === undefined) return undefined
  // Four bytes have exactly one base64 form: the four unused bits must be zero.
  if (typeof header !== 'string' || !/^[A-Za-z0-9+/]{5}[AQgw]==$/.test(header)) {
    throw new AppError('INVALID_INPUT')
  }
  return Buffer.from(header, 'base64').readUInt32BE()
}

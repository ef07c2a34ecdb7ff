/**
 * The checksums that the body of a PUT may carry; the kind of storage decides which. `crc32` goes
 * in the header `x-amz-checksum-crc32` (big-endian, base64), `md5` in `Content-MD5` (base64).
 */
export const bodyChecksums = ['crc32', 'md5'] as const
export type BodyChecksum = (typeof bodyChecksums)[number]

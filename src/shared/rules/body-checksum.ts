/**
 * The checksums that the body of a PUT may have. The kind of storage decides which one: `crc32` in
 * the header `x-amz-checksum-crc32` (big-endian, base64), `md5` in `Content-MD5` (base64).
 */
export const bodyChecksums = ['crc32', 'md5'] as const
export type BodyChecksum = (typeof bodyChecksums)[number]

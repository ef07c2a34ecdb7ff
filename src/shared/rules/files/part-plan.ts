import { hourInMs, mebibyte } from '../format/units.ts'

/** S3 accepts no part with a higher number. */
export const maxPartCount = 10_000

/**
 * The size is small, so that a failed part costs little: sending 8 MiB again takes about half a
 * minute at 2 Mbit/s. S3 accepts no part under 5 MiB except the last.
 */
export const usualPartSize = 8 * mebibyte

/**
 * The answer to the start of an upload has the presigned URLs of this many parts. These are more
 * than a client sends in parallel, so it can send them before it must ask for more.
 */
export const firstPartsSigned = 12

/** How long the presigned URL of a part is valid. A leaked URL soon becomes useless. */
export const partUrlLifetimeMs = hourInMs

/**
 * How a file is split: into parts 1 to `count`. Each has `size` bytes, except the last part, which
 * has the rest.
 */
export interface PartPlan {
  /** In bytes. */
  size: number
  count: number
}

/** Where a part is in the file. Offset and size are in bytes. */
export interface PartRange {
  /** Counted from 1. */
  partNumber: number
  offset: number
  size: number
}

/**
 * Returns the size of a file's parts in bytes: usually 8 MiB, more if the file would have over
 * 10,000 parts of 8 MiB.
 */
export function partSizeFor(fileSize: number): number {
  return Math.max(usualPartSize, Math.ceil(fileSize / maxPartCount / mebibyte) * mebibyte)
}

/** Splits a file of `fileSize` bytes into parts. An empty file has one part. */
export function planParts(fileSize: number, partSize: number): PartPlan {
  return {
    size: partSize,
    count: Math.max(1, Math.ceil(fileSize / partSize)),
  }
}

/**
 * Returns where a part is in the file.
 * @throws {RangeError} when a file of that size has no such part.
 */
export function partRange(fileSize: number, partSize: number, partNumber: number): PartRange {
  const { count } = planParts(fileSize, partSize)
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > count) {
    throw new RangeError(`part ${partNumber} of ${count}`)
  }
  const offset = (partNumber - 1) * partSize
  return { partNumber, offset, size: Math.min(partSize, fileSize - offset) }
}

/**
 * The checksums that the body of a PUT may have. The kind of storage decides which one: `crc32` in
 * the header `x-amz-checksum-crc32` (big-endian, base64), `md5` in `Content-MD5` (base64).
 */
export const bodyChecksums = ['crc32', 'md5'] as const
export type BodyChecksum = (typeof bodyChecksums)[number]

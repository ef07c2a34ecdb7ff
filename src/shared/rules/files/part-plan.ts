import { hourInMs, mebibyte } from '../format/units.ts'

/** S3 accepts no part with a higher number. */
export const maxPartCount = 10_000

/**
 * A failed part should cost little: 8 MiB take half a minute at 2 Mbit/s. S3 accepts no part under
 * 5 MiB except the last.
 */
export const usualPartSize = 8 * mebibyte

/** How many parts a start signs: more than a client sends in parallel. */
export const firstPartsSigned = 12

/** How long the presigned URL of a part is valid. */
export const partUrlLifetimeMs = hourInMs

/** A file has parts 1 to `count` of `size` bytes; the last one has the rest. */
export interface PartPlan {
  /** In bytes. */
  size: number
  count: number
}

/** Where a part is in the file, in bytes. */
export interface PartRange {
  /** Counted from 1. */
  partNumber: number
  offset: number
  size: number
}

/** Returns the size of a file's parts: 8 MiB, or more if that made over 10,000 parts. */
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
 * The checksum that a PUT can have, by store: `crc32` in `x-amz-checksum-crc32` (big-endian,
 * base64), `md5` in `Content-MD5` (base64).
 */
export const bodyChecksums = ['crc32', 'md5'] as const
export type BodyChecksum = (typeof bodyChecksums)[number]

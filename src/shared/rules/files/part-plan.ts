import { hourInMs, mebibyte } from '../format/units.ts'

/** The highest part number that S3 accepts. */
export const maxPartCount = 10_000

/**
 * Small enough that retrying a part is cheap: sending 8 MiB takes half a minute at 2 Mbit/s. S3
 * requires at least 5 MiB for every part but the last.
 */
export const defaultPartSize = 8 * 1024 ** 2

/**
 * How many part URLs are signed when an upload starts. Clients send fewer parts than this in
 * parallel.
 */
export const initialSignedParts = 12

/** How long the presigned URL of a part is valid. */
export const partUrlLifetimeMs = hourInMs

/**
 * How a file is split into parts: they are numbered from 1 to `count`, and each has `size` bytes
 * except the last.
 */
export interface PartPlan {
  /** The size of every part except the last, in bytes. */
  size: number
  count: number
}

/** The position of a part in the file. */
export interface PartRange {
  /** Part numbers start at 1. */
  partNumber: number
  offset: number
  size: number
}

/**
 * Returns the part size for a file: 8 MiB, or more if the file would otherwise have over 10,000
 * parts.
 */
export function partSizeFor(fileSize: number): number {
  return Math.max(defaultPartSize, Math.ceil(fileSize / maxPartCount / mebibyte) * mebibyte)
}

/** Splits a file of `fileSize` bytes into parts. An empty file has one part. */
export function planParts(fileSize: number, partSize: number): PartPlan {
  return {
    size: partSize,
    count: Math.max(1, Math.ceil(fileSize / partSize)),
  }
}

/** Returns the byte range of a part that the file has. */
export function partRange(fileSize: number, partSize: number, partNumber: number): PartRange {
  const offset = (partNumber - 1) * partSize
  return { partNumber, offset, size: Math.min(partSize, fileSize - offset) }
}

/**
 * The checksum that a PUT can include. Which one depends on the store: `crc32` in
 * `x-amz-checksum-crc32` (big-endian, base64) or `md5` in `Content-MD5` (base64).
 */
export const bodyChecksums = ['crc32', 'md5'] as const
export type BodyChecksum = (typeof bodyChecksums)[number]

const mebibyte = 1024 ** 2

/** S3 takes no part with a higher number (design §5). */
export const maxPartCount = 10_000

/**
 * The size is small so that a broken part costs little: sending 8 MiB again takes half a minute at
 * 2 Mbit/s. S3 takes no part under 5 MiB except the last.
 */
const usualPartSize = 8 * mebibyte

/**
 * The start of an upload signs this many parts. These are more than are sent at once, so the client
 * can send them before it must ask for more.
 */
export const firstPartsSigned = 12

/** How long the presigned URL of a part is valid. A leaked URL soon becomes useless. */
export const partUrlLifetimeMs = 60 * 60 * 1000

/**
 * How a file is cut: parts 1 to `count` of `size` bytes each, except that the last part holds the
 * rest.
 */
export interface PartPlan {
  /** In bytes. */
  size: number
  count: number
}

/** Where a part lies in the file. Offset and size are in bytes. */
export interface PartRange {
  /** Counted from 1. */
  partNumber: number
  offset: number
  size: number
}

/**
 * Returns the size of a file's parts in bytes: usually 8 MiB, more where 8 MiB would make over
 * 10,000 parts.
 */
export function partSizeFor(fileSize: number): number {
  return Math.max(usualPartSize, Math.ceil(fileSize / maxPartCount / mebibyte) * mebibyte)
}

/** Cuts a file of `fileSize` bytes into parts. An empty file has one part too. */
export function planParts(fileSize: number, partSize: number): PartPlan {
  return {
    size: partSize,
    count: Math.max(1, Math.ceil(fileSize / partSize)),
  }
}

/**
 * Returns where a part lies in the file.
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

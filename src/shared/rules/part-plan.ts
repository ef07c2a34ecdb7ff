const mebibyte = 1024 ** 2

/** S3 takes no part with a higher number (design §5). */
export const maxPartCount = 10_000

/**
 * Small, so that a broken part costs little: 8 MiB are sent again in half a minute over 2 Mbit/s.
 * Not smaller, since S3 takes no part under 5 MiB but the last.
 */
const usualPartSize = 8 * mebibyte

/**
 * So many parts are signed along with the start of an upload: one for each that is sent at once,
 * and enough behind them that nobody asks for more before the first ones travel.
 */
export const firstPartsSigned = 12

/** How long the presigned URL of a part is good; one that got away is soon worth nothing. */
export const partUrlLifetimeMs = 60 * 60 * 1000

/** How a file is cut: parts 1 to `count` of `size` bytes each, the last one of what is left. */
export interface PartPlan {
  /** Bytes. */
  size: number
  count: number
}

/** Where a part lies in the file; both in bytes. */
export interface PartRange {
  /** From 1. */
  partNumber: number
  offset: number
  size: number
}

/** The size of a file's parts in bytes: usually 8 MiB, more where that would make over 10,000. */
export function partSizeFor(fileSize: number): number {
  return Math.max(usualPartSize, Math.ceil(fileSize / maxPartCount / mebibyte) * mebibyte)
}

/** The parts of a file of `fileSize` bytes. Every file has one, be it empty. */
export function planParts(fileSize: number, partSize: number): PartPlan {
  return {
    size: partSize,
    count: Math.max(1, Math.ceil(fileSize / partSize)),
  }
}

/** @throws {RangeError} when a file of that size has no such part. */
export function partRange(fileSize: number, partSize: number, partNumber: number): PartRange {
  const { count } = planParts(fileSize, partSize)
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > count) {
    throw new RangeError(`part ${partNumber} of ${count}`)
  }
  const offset = (partNumber - 1) * partSize
  return { partNumber, offset, size: Math.min(partSize, fileSize - offset) }
}

import { statfs } from 'node:fs/promises'
import { mebibyte } from '../../shared/rules/format/units.ts'

const smallestDefault = 512 * mebibyte
const defaultShare = 0.02

export interface FreeSpace {
  /**
   * The bytes that a program without root's rights may write. A file system keeps some for root.
   */
  free: number
  /** The bytes of the whole file system. */
  size: number
}

/** Reads the free space of the file system that holds a folder. */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/**
 * Returns how many bytes uploads leave free where `MIN_FREE_SPACE` is not set: the larger of 2 % of
 * the disk and 512 MiB.
 */
export function defaultMinFree(size: number): number {
  return Math.max(smallestDefault, Math.floor(size * defaultShare))
}

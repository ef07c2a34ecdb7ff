import { statfs } from 'node:fs/promises'

export const mebibyte = 1024 ** 2

const smallestDefault = 512 * mebibyte
const defaultShare = 0.02

export interface FreeSpace {
  /** Bytes that a program may write which is not root's: a file system keeps some for root alone. */
  free: number
  /** Bytes of the whole file system. */
  size: number
}

/** Looks at the file system that holds a folder. */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** The floor where `MIN_FREE_SPACE` is not set: the larger of 2 % and 512 MiB, in bytes. */
export function defaultMinFree(size: number): number {
  return Math.max(smallestDefault, Math.floor(size * defaultShare))
}

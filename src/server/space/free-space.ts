import { statfs } from 'node:fs/promises'
import { mebibyte } from '../../shared/rules/format/units.ts'

export interface FreeSpace {
  /** The bytes that a program without root's rights may write, as `df` counts "available". */
  free: number
  /** The bytes of the whole file system. */
  size: number
}

/** Reads the free space of the file system that holds a folder. */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Returns the default of `MIN_FREE_SPACE` in bytes: the larger of 2 % of the disk and 512 MiB. */
export function defaultMinFree(size: number): number {
  return Math.max(512 * mebibyte, Math.floor(size * 0.02))
}

/** The error codes of a full disk or quota, from the file system or from Postgres. */
const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100'])

/** Tells whether an error, or one of its causes, comes from a full disk or quota. */
export function isDiskFull(error: unknown): boolean {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if ('code' in fault && fullCodes.has(fault.code)) return true
  }
  return false
}

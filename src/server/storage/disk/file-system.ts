import type { FileHandle } from 'node:fs/promises'

/**
 * The part of `node:fs/promises` with which the disk store changes its folders. It is an argument,
 * so that a test can see which changes are synced and simulate a power cut anywhere.
 */
export interface FileSystem {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>
  writeFile(path: string, text: string, options: { mode: number }): Promise<void>
  appendFile(path: string, text: string): Promise<void>
  mkdir(path: string, options: { recursive: true }): Promise<unknown>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { force: true }): Promise<void>
}

/** Returns the result, or null when the file does not exist. */
export async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT')
}

/** Whether an error has this code of the file system. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

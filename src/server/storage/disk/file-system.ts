import type { FileHandle } from 'node:fs/promises'

/**
 * What the disk store changes its folders with: the part of `node:fs/promises` that it uses. It is
 * an argument, so that a test can see what has been synced and cut the power anywhere.
 */
export interface FileSystem {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>
  writeFile(path: string, text: string, options: { mode: number }): Promise<void>
  appendFile(path: string, text: string): Promise<void>
  mkdir(path: string, options: { recursive: true }): Promise<unknown>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { force: true }): Promise<void>
}

/** What is found; null when there is no such file. */
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

/** Whether the file system says no in this way. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

import type { FileHandle } from 'node:fs/promises'

/**
 * The functions of `node:fs/promises` with which the disk store changes its folders. A test gives
 * others, to see which changes are synced, and to simulate a power cut after any of them.
 */
export interface FileSystem {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>
  mkdir(path: string, options: { recursive: true }): Promise<unknown>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { force: true }): Promise<void>
}

/** Returns what was found, or null when the file does not exist. */
export async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Tells whether an error means that the file or its folder does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Syncs a folder, which makes the names in it durable. */
export async function syncFolder(fs: Pick<FileSystem, 'open'>, path: string): Promise<void> {
  const folder = await fs.open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

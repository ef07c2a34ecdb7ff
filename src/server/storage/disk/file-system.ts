import type { FileHandle } from 'node:fs/promises'

/**
 * The file system functions that the disk store uses to make changes. Tests replace them to record
 * syncs and to simulate power cuts.
 */
export interface FileSystem {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>
  mkdir(path: string, options: { recursive: true }): Promise<unknown>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { force: true }): Promise<void>
}

/** Returns the result, or null if the file doesn't exist. */
export async function nullIfMissing<T>(operation: Promise<T>): Promise<T | null> {
  try {
    return await operation
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** True if the error means that the file or its folder doesn't exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Syncs a folder, which makes its directory entries durable. */
export async function syncFolder(fs: Pick<FileSystem, 'open'>, path: string): Promise<void> {
  const folder = await fs.open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

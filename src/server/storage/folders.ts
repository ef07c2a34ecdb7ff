import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SizeMismatch, type StoredObject } from './storage.ts'
import { isStorageKey } from './storage-key.ts'

/**
 * The disk store's files: bytes arrive in `uploads/<key>` and move, once complete and durable, to
 * `files/<first two characters>/<key>`. Both lie under one folder and so on one filesystem, which
 * makes the move one rename.
 */
export class Folders {
  readonly #uploads: string
  readonly #files: string

  private constructor(dataDir: string) {
    this.#uploads = join(dataDir, 'uploads')
    this.#files = join(dataDir, 'files')
  }

  /** Makes the folders where they are missing, durably. */
  static async open(dataDir: string): Promise<Folders> {
    const folders = new Folders(dataDir)
    await mkdir(folders.#uploads, { recursive: true })
    await mkdir(folders.#files, { recursive: true })
    await syncFolder(dataDir)
    return folders
  }

  /** Opens the object that is arriving under a key, making an empty one where there is none. */
  async openUpload(key: string, how: 'continue' | 'start over'): Promise<FileHandle> {
    const path = this.#uploadPath(key)
    // A new file in place of a truncated one: a writer that still has the old one open, even in
    // another process, then spoils nothing.
    if (how === 'start over') await rm(path, { force: true })
    try {
      return await open(path, 'r+')
    } catch (error) {
      if (!isMissing(error)) throw error
      return await open(path, 'wx+', 0o600)
    }
  }

  /** Opens a sealed object for reading; null when there is none. */
  openSealed(key: string): Promise<FileHandle | null> {
    return unlessMissing(open(this.#sealedPath(key), 'r'))
  }

  /** The size of a sealed object in bytes; null when there is none. */
  async sealedSize(key: string): Promise<number | null> {
    return (await unlessMissing(stat(this.#sealedPath(key))))?.size ?? null
  }

  /** The bytes stored under a key, arriving or sealed; null when there is no such object. */
  async storedSize(key: string): Promise<number | null> {
    // In this order, because an object only ever moves from here to there.
    const arriving = await unlessMissing(stat(this.#uploadPath(key)))
    return arriving?.size ?? (await this.sealedSize(key))
  }

  /** Bytes that have arrived under a key and would survive a power cut; 0 when there are none. */
  async durableUploadSize(key: string): Promise<number> {
    const file = await unlessMissing(open(this.#uploadPath(key), 'r+'))
    if (!file) return 0
    try {
      const { size } = await file.stat()
      await file.datasync()
      return size
    } finally {
      await file.close()
    }
  }

  /**
   * Moves an object of exactly `size` bytes from arriving to sealed; when this resolves it survives
   * a power cut. Every step can be repeated: cut off anywhere, the next call ends the work.
   * @throws {SizeMismatch} when there is no object of that size.
   */
  async seal(key: string, size: number): Promise<void> {
    const sealedSize = await this.sealedSize(key)
    if (sealedSize === null) await this.#moveToSealed(key, size)
    else if (sealedSize !== size) throw new SizeMismatch(size, sealedSize)
    // Also for an object found sealed: the call that moved it may not have come to this.
    // At once, so that they share what the filesystem does for each: a third less to wait on a disk.
    await Promise.all([this.#fanOutPath(key), this.#files, this.#uploads].map(syncFolder))
  }

  async #moveToSealed(key: string, size: number): Promise<void> {
    const arriving = await unlessMissing(open(this.#uploadPath(key), 'r+'))
    if (!arriving) throw new SizeMismatch(size, null)
    try {
      const { size: actual } = await arriving.stat()
      if (actual !== size) throw new SizeMismatch(size, actual)
      await arriving.sync()
    } finally {
      await arriving.close()
    }
    await mkdir(this.#fanOutPath(key), { recursive: true })
    await rename(this.#uploadPath(key), this.#sealedPath(key))
  }

  /** Removes what is stored under a key, arriving or sealed. */
  async remove(key: string): Promise<void> {
    await rm(this.#uploadPath(key), { force: true })
    await rm(this.#sealedPath(key), { force: true })
  }

  /** Every object; entries that are none of ours are passed over. */
  async *list(): AsyncGenerator<StoredObject> {
    yield* listFolder(this.#uploads)
    for await (const entry of await opendir(this.#files)) {
      if (entry.isDirectory()) yield* listFolder(join(this.#files, entry.name))
    }
  }

  /** What `writeInstallation` wrote; null when nothing was. */
  async readInstallation(): Promise<string | null> {
    const text = await unlessMissing(readFile(this.#installationPath(), 'utf8'))
    return text === null ? null : text.trim()
  }

  /** Writes a line beside the sealed objects; when this resolves it survives a power cut. */
  async writeInstallation(installation: string): Promise<void> {
    const fresh = `${this.#installationPath()}.${randomUUID()}`
    const file = await open(fresh, 'wx', 0o600)
    try {
      await file.writeFile(`${installation}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(fresh, this.#installationPath())
    await syncFolder(this.#files)
  }

  /** Writes, reads back and removes a small file; rejects when any of it fails. */
  async probe(): Promise<void> {
    const text = randomUUID()
    const path = join(this.#uploads, `.probe-${text}`)
    try {
      const file = await open(path, 'wx+', 0o600)
      try {
        await file.write(text, 0)
        await file.datasync()
        const { buffer, bytesRead } = await file.read(Buffer.alloc(text.length), 0, text.length, 0)
        if (buffer.toString('utf8', 0, bytesRead) !== text) {
          throw new Error('the storage folder does not give back what was written')
        }
      } finally {
        await file.close()
      }
    } finally {
      await rm(path, { force: true })
    }
  }

  #installationPath(): string {
    return join(this.#files, '.installation')
  }

  #uploadPath(key: string): string {
    assertStorageKey(key)
    return join(this.#uploads, key)
  }

  #fanOutPath(key: string): string {
    assertStorageKey(key)
    return join(this.#files, key.slice(0, 2))
  }

  #sealedPath(key: string): string {
    return join(this.#fanOutPath(key), key)
  }
}

function assertStorageKey(key: string): void {
  if (!isStorageKey(key)) throw new RangeError('not a storage key')
}

async function* listFolder(folder: string): AsyncGenerator<StoredObject> {
  for await (const entry of await opendir(folder)) {
    if (!isStorageKey(entry.name)) continue
    // Between the listing and the look it may have been removed or sealed.
    const found = await unlessMissing(stat(join(folder, entry.name)))
    if (found?.isFile()) yield { key: entry.name, modifiedAt: found.mtime }
  }
}

/** A file's name is durable only when its folder has been synced too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

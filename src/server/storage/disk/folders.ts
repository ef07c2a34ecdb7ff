import { randomUUID } from 'node:crypto'
import { type FileHandle, opendir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SizeMismatch, type StoredObject } from '../storage.ts'
import { isStorageKey } from '../storage-key.ts'
import { type FileSystem, hasCode, isMissing, unlessMissing } from './file-system.ts'
import { FolderSync, syncFolder } from './folder-sync.ts'
import { probeFolder } from './probe-folder.ts'

/** What is done with a file while it is open. */
type Reading<T> = (file: FileHandle, path: string) => Promise<T>

const partsSuffix = '.parts'

/**
 * The disk store's files: bytes arrive in `uploads/<key>` and move, once complete and durable, to
 * `files/<first two characters>/<key>`. Both lie under one folder and so on one filesystem, which
 * makes the move one rename. Beside bytes that arrive in parts lies `uploads/<key>.parts`, which
 * tells the parts that are whole; without it the bytes from the start to the end of the file count.
 */
export class Folders {
  readonly #fs: FileSystem
  readonly #uploads: string
  readonly #files: string
  readonly #uploadNames: FolderSync
  readonly #fileNames: FolderSync
  /** The fan-out folders that are known to survive a power cut. */
  readonly #durableFanOuts = new Set<string>()

  private constructor(fs: FileSystem, dataDir: string) {
    this.#fs = fs
    this.#uploads = join(dataDir, 'uploads')
    this.#files = join(dataDir, 'files')
    this.#uploadNames = new FolderSync(fs, this.#uploads)
    this.#fileNames = new FolderSync(fs, this.#files)
  }

  /** Makes the folders where they are missing, durably. */
  static async open(fs: FileSystem, dataDir: string): Promise<Folders> {
    const folders = new Folders(fs, dataDir)
    await fs.mkdir(folders.#uploads, { recursive: true })
    await fs.mkdir(folders.#files, { recursive: true })
    await syncFolder(fs, dataDir)
    return folders
  }

  /** Lets go of the folders, which are opened again when they are needed. */
  async close(): Promise<void> {
    await Promise.all([this.#uploadNames.close(), this.#fileNames.close()])
  }

  /** Opens the object that is arriving under a key, making an empty one where there is none. */
  async openUpload(key: string, how: 'continue' | 'start over'): Promise<FileHandle> {
    const path = this.uploadPath(key)
    if (how === 'continue') {
      const file = await unlessMissing(this.#fs.open(path, 'r+'))
      if (file) return file
    }
    try {
      return await this.#fs.open(path, 'wx+', 0o600)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      // A new file in place of a truncated one: a writer that still has the old one open, even in
      // another process, then spoils nothing.
      await this.#fs.rm(path, { force: true })
      return await this.#fs.open(path, 'wx+', 0o600)
    }
  }

  /**
   * Empties an upload, which from then on arrives in parts. Durable when this resolves, before the
   * first byte is written: a power cut must never leave a file with gaps that nothing names as such.
   */
  async startParts(key: string): Promise<void> {
    await this.#fs.rm(this.uploadPath(key), { force: true })
    await this.#fs.writeFile(this.partsPath(key), '', { mode: 0o600 })
    await this.#fs.writeFile(this.uploadPath(key), '', { mode: 0o600 })
    await this.#uploadNames.sync()
  }

  /** Opens the bytes of an upload that arrives in parts, for one to be written to its place. */
  openForPart(key: string): Promise<FileHandle> {
    return this.#fs.open(this.uploadPath(key), 'r+')
  }

  /** Adds a line to what tells the parts of an upload. */
  notePart(key: string, line: string): Promise<void> {
    // The line break before it ends what a full disk may have left of the line before.
    return this.#fs.appendFile(this.partsPath(key), `\n${line}\n`)
  }

  /** Removes what arrived in parts, in an order that a power cut keeps: never the gaps' name first. */
  async discardParts(key: string): Promise<void> {
    await this.#fs.rm(this.uploadPath(key), { force: true })
    await this.#uploadNames.sync()
    await this.forgetParts(key)
  }

  /** Removes what tells the parts of an upload, whose bytes must be gone from there already. */
  forgetParts(key: string): Promise<void> {
    return this.#fs.rm(this.partsPath(key), { force: true })
  }

  /** Keys whose bytes arrive in parts. What a crash left of others is removed. */
  async keysInParts(): Promise<string[]> {
    const names = new Set(await readdir(this.#uploads))
    const keys = [...names]
      .filter((name) => name.endsWith(partsSuffix))
      .map((name) => name.slice(0, -partsSuffix.length))
      .filter(isStorageKey)
    const left = keys.filter((key) => !names.has(key))
    for (const key of left) await this.forgetParts(key)
    return keys.filter((key) => names.has(key))
  }

  /** Opens a sealed object for reading; null when there is none. */
  openSealed(key: string): Promise<FileHandle | null> {
    return unlessMissing(this.#fs.open(this.#sealedPath(key), 'r'))
  }

  /** The size of a sealed object in bytes; null when there is none. */
  async sealedSize(key: string): Promise<number | null> {
    return (await unlessMissing(stat(this.#sealedPath(key))))?.size ?? null
  }

  /** The bytes stored under a key, arriving or sealed; null when there is no such object. */
  async storedSize(key: string): Promise<number | null> {
    // In this order, because an object only ever moves from here to there.
    const arriving = await unlessMissing(stat(this.uploadPath(key)))
    return arriving?.size ?? (await this.sealedSize(key))
  }

  /** Bytes that have arrived under a key and would survive a power cut; 0 when there are none. */
  async durableUploadSize(key: string): Promise<number> {
    const file = await unlessMissing(this.#fs.open(this.uploadPath(key), 'r+'))
    if (!file) return 0
    try {
      const { size } = await file.stat()
      // The names too: its own, and that of parts which it replaced and which must not come back.
      await Promise.all([file.datasync(), this.#uploadNames.sync()])
      return size
    } finally {
      await file.close()
    }
  }

  /**
   * Moves an object of exactly `size` bytes from arriving to sealed; when this resolves it survives
   * a power cut. Every step can be repeated: cut off anywhere, the next call ends the work.
   * @param read is given the file and where it lies until its answer, which is answered.
   * @throws {SizeMismatch} when there is no object of that size.
   */
  async seal<T>(key: string, size: number, read: Reading<T>): Promise<T> {
    const fanOut = this.#fanOutPath(key)
    const sealed = await this.openSealed(key)
    const answer = sealed
      ? await readExactly(sealed, size, (file) => read(file, this.#sealedPath(key)))
      : await this.#moveToSealed(key, size, read)
    // Also for an object found sealed: the call that moved it may not have come to this.
    // At once, so that they share what the filesystem does for each.
    await Promise.all([syncFolder(this.#fs, fanOut), this.#uploadNames.sync()])
    return answer
  }

  async #moveToSealed<T>(key: string, size: number, read: Reading<T>): Promise<T> {
    const fanOut = this.#fanOutPath(key)
    const arriving = await unlessMissing(this.#fs.open(this.uploadPath(key), 'r+'))
    if (!arriving) throw new SizeMismatch(size, null)
    const answer = await readExactly(arriving, size, async (file) => {
      const durable = [file.sync(), this.#makeFanOut(fanOut)]
      const [answer] = await Promise.all([read(file, this.uploadPath(key)), ...durable])
      return answer
    })
    const move = () => this.#fs.rename(this.uploadPath(key), this.#sealedPath(key))
    try {
      await move()
    } catch (error) {
      if (!isMissing(error)) throw error
      this.#durableFanOuts.delete(fanOut)
      await this.#makeFanOut(fanOut)
      await move()
    }
    return answer
  }

  /** Durable when this resolves: a power cut may not take the folder from under what moves there. */
  async #makeFanOut(fanOut: string): Promise<void> {
    if (this.#durableFanOuts.has(fanOut)) return
    await this.#fs.mkdir(fanOut, { recursive: true })
    await this.#fileNames.sync()
    this.#durableFanOuts.add(fanOut)
  }

  /** Removes what is stored under a key, arriving or sealed. */
  async remove(key: string): Promise<void> {
    await this.#fs.rm(this.uploadPath(key), { force: true })
    await this.#fs.rm(this.#sealedPath(key), { force: true })
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
    const file = await this.#fs.open(fresh, 'wx', 0o600)
    try {
      await file.writeFile(`${installation}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await this.#fs.rename(fresh, this.#installationPath())
    await this.#fileNames.sync()
  }

  /** Writes, reads back and removes a small file; rejects when any of it fails. */
  probe(): Promise<void> {
    return probeFolder(this.#fs, this.#uploads)
  }

  #installationPath(): string {
    return join(this.#files, '.installation')
  }

  /** Where the bytes of an upload lie while they arrive. */
  uploadPath(key: string): string {
    assertStorageKey(key)
    return join(this.#uploads, key)
  }

  /** Where it is told which parts of an upload are whole. */
  partsPath(key: string): string {
    return `${this.uploadPath(key)}${partsSuffix}`
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

/** Reads a file of exactly `size` bytes, and closes it. */
async function readExactly<T>(
  file: FileHandle,
  size: number,
  read: (file: FileHandle) => Promise<T>,
): Promise<T> {
  try {
    const { size: actual } = await file.stat()
    if (actual !== size) throw new SizeMismatch(size, actual)
    return await read(file)
  } finally {
    await file.close()
  }
}

import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { type FileHandle, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inKeyOrder } from '../in-key-order.ts'
import { SizeMismatch, type StoredObject } from '../storage.ts'
import { assertStorageKey, isStorageKey } from '../storage-key.ts'
import { FanOuts } from './fan-outs.ts'
import { type FileSystem, isMissing, unlessMissing } from './file-system.ts'
import { FolderSync, syncFolder } from './folder-sync.ts'
import { probeFolder } from './probe-folder.ts'
import { sealedName } from './sealed-name.ts'

const partsSuffix = '.parts'

/**
 * The files of the disk store. Bytes arrive in `uploads/<key>`. When they are complete and durable,
 * they move to `files/<first two characters>/<key>`. Both folders are on one file system, so the
 * move is one rename. For an upload in parts, `uploads/<key>.parts` lists the parts that are
 * complete. Without that file, all bytes in `uploads/<key>` count.
 */
export class Folders {
  readonly #fs: FileSystem
  readonly #uploads: string
  readonly #files: string
  readonly #uploadNames: FolderSync
  readonly #fileNames: FolderSync
  readonly #fanOuts: FanOuts

  private constructor(fs: FileSystem, dataDir: string) {
    this.#fs = fs
    this.#uploads = join(dataDir, 'uploads')
    this.#files = join(dataDir, 'files')
    this.#uploadNames = new FolderSync(fs, this.#uploads)
    this.#fileNames = new FolderSync(fs, this.#files)
    this.#fanOuts = new FanOuts(fs, this.#fileNames)
  }

  /** Makes the folders where they are missing, and makes them durable. */
  static async open(fs: FileSystem, dataDir: string): Promise<Folders> {
    const folders = new Folders(fs, dataDir)
    await fs.mkdir(folders.#uploads, { recursive: true })
    await fs.mkdir(folders.#files, { recursive: true })
    await syncFolder(fs, dataDir)
    await folders.#forgetLeftParts()
    return folders
  }

  /**
   * Closes the handles of the folders. If one is needed later, it is opened again, without another
   * call of `Folders.open`.
   */
  async close(): Promise<void> {
    await Promise.all([this.#uploadNames.close(), this.#fileNames.close()])
  }

  /**
   * Opens the file of an upload, and makes an empty one where there is none. 'continue' keeps the
   * bytes that have arrived, 'start over' throws them away.
   */
  async openUpload(key: string, how: 'continue' | 'start over'): Promise<FileHandle> {
    const path = this.uploadPath(key)
    if (how === 'continue') {
      const file = await unlessMissing(this.#fs.open(path, 'r+'))
      if (file) return file
    }
    // A new file: if the old one were emptied instead, a power cut could leave its length beside
    // the new bytes.
    await this.#fs.rm(path, { force: true })
    return this.#fs.open(path, 'wx+', 0o600)
  }

  /**
   * Removes the bytes of an upload, and makes an empty list of its parts. When this resolves, the
   * list survives a power cut. Only then may a part be written. Otherwise a power cut could leave
   * a file with gaps that is taken for whole.
   */
  async startParts(key: string): Promise<void> {
    await this.discardParts(key)
    for (const path of [this.partsPath(key), this.uploadPath(key)]) {
      await (await this.#fs.open(path, 'wx', 0o600)).close()
    }
    await this.#uploadNames.sync()
  }

  /**
   * Returns the size in bytes of the file of an upload in parts; null where the file or the list of
   * its parts is missing.
   */
  async sizeInParts(key: string): Promise<number | null> {
    const [bytes, list] = await Promise.all(
      [this.uploadPath(key), this.partsPath(key)].map((path) => unlessMissing(stat(path))),
    )
    return bytes && list ? bytes.size : null
  }

  /** Opens the list of an upload's parts for reading. Returns null when there is none. */
  openParts(key: string): Promise<FileHandle | null> {
    return unlessMissing(this.#fs.open(this.partsPath(key), 'r'))
  }

  /** Opens the list of an upload's parts for writing. */
  openPartsToWrite(key: string): Promise<FileHandle> {
    return this.#fs.open(this.partsPath(key), 'r+')
  }

  /** Opens the file of an upload in parts, so that a part can be written at its offset. */
  openForPart(key: string): Promise<FileHandle> {
    return this.#fs.open(this.uploadPath(key), 'r+')
  }

  /**
   * Removes the bytes of an upload, and then the list of its parts. Each removal survives a power
   * cut before the next change. Otherwise a cut could leave bytes without their list, or a list
   * beside other bytes.
   */
  async discardParts(key: string): Promise<void> {
    for (const path of [this.uploadPath(key), this.partsPath(key)]) {
      if (!(await unlessMissing(stat(path)))) continue
      await this.#fs.rm(path, { force: true })
      await this.#uploadNames.sync()
    }
  }

  /**
   * Removes the list of an upload's parts. The caller must have removed their bytes from `uploads`
   * before.
   */
  forgetParts(key: string): Promise<void> {
    return this.#fs.rm(this.partsPath(key), { force: true })
  }

  /** Removes lists of parts without bytes, which a crash can leave. */
  async #forgetLeftParts(): Promise<void> {
    const names = new Set(await readdir(this.#uploads))
    for (const name of names) {
      const key = name.slice(0, -partsSuffix.length)
      if (!name.endsWith(partsSuffix) || !isStorageKey(key) || names.has(key)) continue
      await this.forgetParts(key)
    }
  }

  /** Opens a sealed object for reading. Returns null when there is none. */
  openSealed(key: string): Promise<FileHandle | null> {
    return unlessMissing(this.#fs.open(this.sealedPath(key), 'r'))
  }

  /**
   * Returns the size of a sealed object in bytes, and when it was last changed; null when there is
   * none.
   */
  async sealedFacts(key: string): Promise<{ size: number; modifiedAt: Date } | null> {
    const found = await this.sealedStats(key)
    return found ? { size: found.size, modifiedAt: found.mtime } : null
  }

  /** Returns what the file system tells of a sealed object, or null when there is none. */
  sealedStats(key: string): Promise<Stats | null> {
    return unlessMissing(stat(this.sealedPath(key)))
  }

  /** Returns the size of a sealed object in bytes, or null when there is none. */
  async sealedSize(key: string): Promise<number | null> {
    return (await this.sealedFacts(key))?.size ?? null
  }

  /**
   * Returns the size in bytes of the object under a key, whether it is sealed or still arriving, or
   * null when there is none.
   */
  async storedSize(key: string): Promise<number | null> {
    // The arriving file is looked for first. In the other order, a file that is sealed between both
    // steps would be found in neither folder.
    const arriving = await unlessMissing(stat(this.uploadPath(key)))
    return arriving?.size ?? (await this.sealedSize(key))
  }

  /**
   * Returns how many of the bytes that have arrived under a key would survive a power cut; 0 when
   * there are none.
   */
  async durableUploadSize(key: string): Promise<number> {
    const file = await unlessMissing(this.#fs.open(this.uploadPath(key), 'r+'))
    if (!file) return 0
    try {
      const { size } = await file.stat()
      // The sync of the folder makes the file's name durable. If the file replaced an upload in
      // parts, the sync also makes the removal of the parts durable.
      await Promise.all([file.datasync(), this.#uploadNames.sync()])
      return size
    } finally {
      await file.close()
    }
  }

  /**
   * Moves an object of exactly `size` bytes from `uploads` to `files`. When this resolves, the
   * object survives a power cut. If it is interrupted anywhere, the next call completes the work.
   * @throws {SizeMismatch} when there is no object of that size.
   */
  async seal(key: string, size: number): Promise<void> {
    const fanOut = this.#fanOutPath(key)
    const sealed = await this.sealedSize(key)
    if (sealed === null) await this.#moveToSealed(key, size)
    else assertSize(sealed, size)
    // The sync runs even if the object was sealed before, because the call that moved it may not
    // have synced. Both syncs run in parallel, so that the file system can do them together.
    await Promise.all([this.#fanOuts.sync(fanOut), this.#uploadNames.sync()])
  }

  async #moveToSealed(key: string, size: number): Promise<void> {
    const fanOut = this.#fanOutPath(key)
    const arriving = await unlessMissing(this.#fs.open(this.uploadPath(key), 'r+'))
    if (!arriving) throw new SizeMismatch(size, null)
    try {
      assertSize((await arriving.stat()).size, size)
      await Promise.all([arriving.sync(), this.#fanOuts.make(fanOut)])
    } finally {
      await arriving.close()
    }
    const move = () => this.#fs.rename(this.uploadPath(key), this.sealedPath(key))
    try {
      await move()
    } catch (error) {
      if (!isMissing(error)) throw error
      await this.#fanOuts.makeAgain(fanOut)
      await move()
    }
  }

  /** Removes the object under a key, whether it is sealed or still arriving. */
  async remove(key: string): Promise<void> {
    await this.#fs.rm(this.uploadPath(key), { force: true })
    await this.#fs.rm(this.sealedPath(key), { force: true })
  }

  /**
   * Resolves when the removals of these objects survive a power cut. Each folder is synced once,
   * whether this or an earlier process removed something in it.
   */
  async syncRemovals(keys: readonly string[]): Promise<void> {
    const fanOuts = new Set(keys.map((key) => this.#fanOutPath(key)))
    if (fanOuts.size === 0) return
    const synced = [...fanOuts].map((fanOut) => unlessMissing(syncFolder(this.#fs, fanOut)))
    await Promise.all([this.#uploadNames.sync(), ...synced])
  }

  /** Lists every object in the order of the keys. Other files in the folders are ignored. */
  list(): AsyncGenerator<StoredObject> {
    return inKeyOrder(listFolder(this.#uploads), this.#listSealed())
  }

  async *#listSealed(): AsyncGenerator<StoredObject, void> {
    // The name of a folder is the first characters of its keys. So the order of the folders is the
    // order of the keys.
    const folders = await readdir(this.#files, { withFileTypes: true })
    const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    for (const name of names.sort()) yield* listFolder(join(this.#files, name))
  }

  /** Returns the id of the installation that `writeInstallation` wrote, or null. */
  async readInstallation(): Promise<string | null> {
    const text = await unlessMissing(readFile(this.#installationPath(), 'utf8'))
    return text === null ? null : text.trim()
  }

  /**
   * Writes the id of an installation beside the sealed objects. When this resolves, it survives a
   * power cut.
   */
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

  /**
   * Writes, reads and removes a small file in each of the two folders. Rejects when a step fails.
   */
  async probe(): Promise<void> {
    await Promise.all([this.#uploads, this.#files].map((folder) => probeFolder(this.#fs, folder)))
  }

  #installationPath(): string {
    return join(this.#files, '.installation')
  }

  /** Returns the path of an upload's bytes while they arrive. */
  uploadPath(key: string): string {
    assertStorageKey(key)
    return join(this.#uploads, key)
  }

  /** Returns the path of the list of an upload's parts. */
  partsPath(key: string): string {
    return `${this.uploadPath(key)}${partsSuffix}`
  }

  #fanOutPath(key: string): string {
    return dirname(this.sealedPath(key))
  }

  /** Returns the path of a sealed object. */
  sealedPath(key: string): string {
    return join(this.#files, sealedName(key))
  }
}

async function* listFolder(folder: string): AsyncGenerator<StoredObject, void> {
  const keys = (await readdir(folder)).filter(isStorageKey)
  for (const key of keys.sort()) {
    // The file may have been removed or sealed since it was listed.
    const found = await unlessMissing(stat(join(folder, key)))
    if (found?.isFile()) yield { key, modifiedAt: found.mtime }
  }
}

function assertSize(actual: number, expected: number): void {
  if (actual !== expected) throw new SizeMismatch(expected, actual)
}

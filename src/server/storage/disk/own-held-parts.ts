import { readFile } from 'node:fs/promises'
import type { PartGrant } from '../storage.ts'
import { unlessMissing } from './file-system.ts'
import type { Folders } from './folders.ts'
import {
  addPart,
  type BegunPart,
  dropPart,
  type HeldPart,
  HeldParts,
  newUpload,
  readNotes,
  readProvedParts,
  type Upload,
} from './held-parts.ts'

/**
 * The parts in a folder that no other server uses. All bytes of an upload are in one file, and this
 * file does not show which parts it contains. So a list has one line for each part. The server
 * keeps the list in memory, and for restarts also in a file beside the bytes. Neither file is
 * synced to the disk. So after a restart a part counts only if its bytes have the CRC-32 that its
 * line says. This is safe after any crash or power cut.
 */
export class OwnHeldParts extends HeldParts {
  readonly #folders: Folders
  /** The uploads by key. null: an earlier process left a list that has not been read yet. */
  readonly #uploads: Map<string, Promise<Upload> | null>

  private constructor(folders: Folders, keys: string[]) {
    super()
    this.#folders = folders
    this.#uploads = new Map(keys.map((key) => [key, null]))
  }

  /** Finds the uploads in parts that earlier processes have left on the disk. */
  static async open(folders: Folders): Promise<OwnHeldParts> {
    return new OwnHeldParts(folders, await folders.keysInParts())
  }

  override async isInParts(key: string): Promise<boolean> {
    return this.#uploads.has(key)
  }

  override async begin(grant: PartGrant): Promise<BegunPart> {
    const { key, partNumber } = grant
    // No `await` may come between `find` and `start`: of two first parts that arrive in parallel,
    // only one may empty the upload.
    const upload = await (this.find(key) ?? this.#start(key))
    dropPart(upload, partNumber)
    const file = await this.#folders.openForPart(key)
    return { file, hold: (crc32) => this.#hold(grant, crc32) }
  }

  async #hold(grant: PartGrant, crc32: number): Promise<void> {
    const { key, partNumber, offset, size } = grant
    const part: HeldPart = { partNumber, offset, size, crc32 }
    const upload = await this.find(key)
    if (!upload) throw new Error('a part is held of an upload that is in none')
    await this.#folders.notePart(key, JSON.stringify(part))
    addPart(upload, part)
  }

  override async discard(key: string): Promise<void> {
    if (!this.#uploads.has(key)) return
    await this.#folders.discardParts(key)
    this.#uploads.delete(key)
  }

  override async forget(key: string): Promise<void> {
    if (!this.#uploads.has(key)) return
    await this.#folders.forgetParts(key)
    this.#uploads.delete(key)
  }

  protected override find(key: string): Promise<Upload> | undefined {
    const known = this.#uploads.get(key)
    return known === null ? this.#keep(key, this.#read(key), null) : known
  }

  #start(key: string): Promise<Upload> {
    return this.#keep(key, this.#folders.startParts(key).then(newUpload), undefined)
  }

  /**
   * Remembers a running read or start, so that parallel callers share it. If it fails, the entry is
   * set back to `before`, and the next caller tries again.
   */
  #keep(key: string, found: Promise<Upload>, before: null | undefined): Promise<Upload> {
    this.#uploads.set(key, found)
    found.catch(() => {
      if (this.#uploads.get(key) !== found) return
      if (before === null) this.#uploads.set(key, null)
      else this.#uploads.delete(key)
    })
    return found
  }

  async #read(key: string): Promise<Upload> {
    const notes = await unlessMissing(readFile(this.#folders.partsPath(key), 'utf8'))
    const bytes = await this.#folders.openArriving(key)
    return (await readProvedParts(bytes, readNotes(notes ?? ''))) ?? newUpload()
  }
}

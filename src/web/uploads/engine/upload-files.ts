import { mismatchText } from '../picking/file-identity.ts'
import { readHandle } from '../picking/handle-file.ts'
import type { HandleStore } from '../picking/handle-store.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { UploadRecord } from '../records/upload-record.ts'

/**
 * Where an upload's file is.
 * - `ready`: in this tab's memory.
 * - `file`: the user has to choose it again.
 * - `permission`: the user has to grant read access again.
 * - `gone`: lost.
 */
export type FileState = 'ready' | 'file' | 'permission' | 'gone'

/** The files that this tab's uploads have in memory, and the handles that survive a reload. */
export class UploadFiles {
  readonly #handles: HandleStore
  readonly #inMemory = new Map<string, PickedFile>()

  constructor(handles: HandleStore) {
    this.#handles = handles
  }

  get(id: string): PickedFile | undefined {
    return this.#inMemory.get(id)
  }

  /** Keeps a file in memory and saves its handle. */
  add(id: string, picked: PickedFile): void {
    this.#inMemory.set(id, picked)
    if (picked.handle) void this.#handles.save(id, picked.handle)
  }

  /**
   * Locates an upload's file. If a saved handle is readable without a prompt, loads the file into
   * memory.
   */
  async locate({ id, identity }: UploadRecord): Promise<FileState> {
    if (this.#inMemory.has(id)) return 'ready'
    const handle = await this.#handles.get(id)
    if (!handle) return 'file'
    const result = await readHandle(handle)
    if (result.state !== 'found') return result.state
    // A different date alone isn't a mismatch, because the transfer compares the bytes.
    if (mismatchText(identity, result.file) !== null) return 'gone'
    this.#inMemory.set(id, { file: result.file, handle })
    return 'ready'
  }

  /** Removes the file from memory but keeps its handle. */
  removeFromMemory(id: string): void {
    this.#inMemory.delete(id)
  }

  /** Removes the file from memory and deletes its handle. */
  remove(id: string): void {
    this.#inMemory.delete(id)
    void this.#handles.remove(id)
  }
}

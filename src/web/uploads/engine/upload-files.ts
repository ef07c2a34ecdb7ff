import { isSameFile } from '../picking/file-identity.ts'
import { readHandle } from '../picking/handle-file.ts'
import type { HandleStore } from '../picking/handle-store.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { UploadRecord } from '../records/upload-record.ts'

/**
 * Where the file of an upload is.
 * - `ready`: this tab has it in memory.
 * - `file`: a person has to choose it again.
 * - `permission`: a person has to allow the browser to read it again.
 * - `gone`: it is lost.
 */
export type FileState = 'ready' | 'file' | 'permission' | 'gone'

/** The files of uploads that this tab has in memory, and the handles that outlive a reload. */
export class UploadFiles {
  readonly #handles: HandleStore
  readonly #inMemory = new Map<string, PickedFile>()

  constructor(handles: HandleStore) {
    this.#handles = handles
  }

  get(id: string): PickedFile | undefined {
    return this.#inMemory.get(id)
  }

  /** Keeps a file in memory, and saves its handle for the time after a reload. */
  keep(id: string, picked: PickedFile): void {
    this.#inMemory.set(id, picked)
    if (picked.handle) void this.#handles.save(id, picked.handle)
  }

  /**
   * Finds out where the file of an upload is. If a saved handle gives the file without asking a
   * person, this method also puts the file into memory.
   */
  async find({ id, identity }: UploadRecord): Promise<FileState> {
    if (this.#inMemory.has(id)) return 'ready'
    const handle = await this.#handles.get(id)
    if (!handle) return 'file'
    const read = await readHandle(handle)
    if (read.state !== 'found') return read.state
    // Another program may have changed the file since its upload began.
    if (!isSameFile(identity, read.file)) return 'gone'
    this.#inMemory.set(id, { file: read.file, handle })
    return 'ready'
  }

  /** Forgets the file, but keeps its handle. */
  drop(id: string): void {
    this.#inMemory.delete(id)
  }

  /** Forgets the file and its handle. */
  forget(id: string): void {
    this.#inMemory.delete(id)
    void this.#handles.remove(id)
  }
}

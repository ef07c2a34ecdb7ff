import { refuseOtherFile } from '../picking/file-identity.ts'
import { readHandle } from '../picking/handle-file.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { HandleStore } from '../upload-ports.ts'
import type { DataState } from './upload-events.ts'

/**
 * The files of uploads that this tab has in memory, and the file handles that find files after a
 * reload.
 */
export interface UploadData {
  /** Returns the ids of the uploads whose files are in memory. */
  ids(): string[]
  file(id: string): File | undefined
  picked(id: string): PickedFile | undefined
  /** Keeps a file in memory only. Its handle is not saved, because another tab runs the upload. */
  keepInMemory(id: string, picked: PickedFile): void
  /** Keeps a file in memory, and saves its handle for the time after a reload. */
  keepWithHandle(id: string, picked: PickedFile): void
  /**
   * Finds out where the bytes of an upload are. If a saved handle gives the file without asking a
   * person, this method also puts the file into memory.
   */
  find(record: UploadRecord): Promise<DataState>
  /** Forgets the file, but keeps its handle. */
  drop(id: string): void
  /** Forgets the file and its handle. */
  forget(id: string): void
}

/**
 * Creates the object that keeps the files and file handles of this tab.
 * @param sample hashes some of a file's bytes; returns null where the browser cannot.
 */
export function createUploadData(
  handles: HandleStore,
  sample: (file: File) => Promise<string | null>,
): UploadData {
  const inMemory = new Map<string, PickedFile>()

  const findByHandle = async ({ id, identity }: UploadRecord): Promise<DataState> => {
    const handle = await handles.get(id)
    if (!handle) return 'file'
    const read = await readHandle(handle)
    if (read.state !== 'found') return read.state
    // Another program may have changed the file since its upload began.
    const reason = await refuseOtherFile(identity, read.file, sample).catch(() => 'unreadable')
    if (reason !== null) return 'gone'
    inMemory.set(id, { file: read.file, handle })
    return 'ready'
  }

  return {
    ids: () => [...inMemory.keys()],
    file: (id) => inMemory.get(id)?.file,
    picked: (id) => inMemory.get(id),
    keepInMemory: (id, picked) => inMemory.set(id, picked),
    keepWithHandle: (id, picked) => {
      inMemory.set(id, picked)
      if (picked.handle) void handles.save(id, picked.handle)
    },
    find: async (record) => (inMemory.has(record.id) ? 'ready' : findByHandle(record)),
    drop: (id) => inMemory.delete(id),
    forget: (id) => {
      inMemory.delete(id)
      void handles.remove(id)
    },
  }
}

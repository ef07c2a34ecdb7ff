import { refuseOtherFile } from '../picking/file-identity.ts'
import { readHandle } from '../picking/handle-file.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { HandleStore } from '../upload-ports.ts'
import type { DataState } from './upload-events.ts'

/** The bytes of uploads as this tab has them: files in memory, and handles that outlive it. */
export interface UploadData {
  /** Those whose bytes are in memory. */
  ids(): string[]
  file(id: string): File | undefined
  picked(id: string): PickedFile | undefined
  /** In memory only: what another tab keeps for good. */
  hold(id: string, picked: PickedFile): void
  /** In memory, and by its handle over a reload. */
  keep(id: string, picked: PickedFile): void
  /** Where the bytes are; those that a handle gives without asking anybody are held then. */
  find(record: UploadRecord): Promise<DataState>
  /** From memory only. */
  drop(id: string): void
  forget(id: string): void
}

/** @param sample a hash over samples of a file, or null where it cannot be reckoned. */
export const createUploadData = (
  handles: HandleStore,
  sample: (file: File) => Promise<string | null>,
): UploadData => {
  const held = new Map<string, PickedFile>()

  const findByHandle = async ({ id, identity }: UploadRecord): Promise<DataState> => {
    const handle = await handles.get(id)
    if (!handle) return 'file'
    const read = await readHandle(handle)
    if (read.state !== 'found') return read.state
    // A file that was written to since is not what the upload began with.
    const reason = await refuseOtherFile(identity, read.file, sample).catch(() => 'unreadable')
    if (reason !== null) return 'gone'
    held.set(id, { file: read.file, handle })
    return 'ready'
  }

  return {
    ids: () => [...held.keys()],
    file: (id) => held.get(id)?.file,
    picked: (id) => held.get(id),
    hold: (id, picked) => held.set(id, picked),
    keep: (id, picked) => {
      held.set(id, picked)
      if (picked.handle) void handles.save(id, picked.handle)
    },
    find: async (record) => (held.has(record.id) ? 'ready' : findByHandle(record)),
    drop: (id) => held.delete(id),
    forget: (id) => {
      held.delete(id)
      void handles.remove(id)
    },
  }
}

import type { KeptFile, KeptFileTable } from '../../src/web/uploads/kept/kept-files.ts'
import type { HandleStore } from '../../src/web/uploads/picking/handle-store.ts'
import type { RecordLocks } from '../../src/web/uploads/records/record-locks.ts'
import type { KeyValueStorage } from '../../src/web/uploads/records/upload-records.ts'

export function createMemoryStorage(values: Map<string, string>): KeyValueStorage {
  return {
    get length() {
      return values.size
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

/** An in-memory replacement for the store that keeps file handles in IndexedDB. */
export function createMemoryHandleStore(handles: Map<string, FileSystemFileHandle>): HandleStore {
  return {
    save: async (id, handle) => void handles.set(id, handle),
    get: async (id) => handles.get(id),
    remove: async (id) => void handles.delete(id),
    removeAllExcept: async (keptIds) => {
      for (const id of handles.keys()) if (!keptIds.includes(id)) handles.delete(id)
    },
  }
}

/** The locks that a browser's tabs hold, by record id. To release a lock, call its function. */
export type HeldLocks = Map<string, () => void>

/** Creates the locks as seen by one tab. All tabs of a browser share `heldLocks`. */
export function createMemoryLocks(heldLocks: HeldLocks): RecordLocks {
  return {
    isSupported: true,
    claim: async (id, { steal = false, onLost }) => {
      const loseCurrentLock = heldLocks.get(id)
      if (loseCurrentLock && !steal) return null
      const loseLock = () => onLost()
      heldLocks.set(id, loseLock)
      loseCurrentLock?.()
      return () => void (heldLocks.get(id) === loseLock && heldLocks.delete(id))
    },
    lockedIds: async () => new Set(heldLocks.keys()),
  }
}

export function createMemoryKeptFileTable(): KeptFileTable {
  const filesById = new Map<string, KeptFile>()
  return {
    add: async (files) => {
      for (const file of files) filesById.set(file.id, file)
    },
    all: async () => [...filesById.values()].reverse(),
    remove: async (ids) => {
      for (const id of ids) filesById.delete(id)
    },
  }
}

import type { KeptHandles } from '../../src/web/uploads/picking/handle-store.ts'
import type { KeyValues } from '../../src/web/uploads/records/upload-records.ts'

/**
 * A browser's storage for values, kept in memory. `onWrite` is called at every change, with null
 * for a value that was removed.
 */
export function memoryStorage(
  values: Map<string, string>,
  onWrite: (key: string, value: string | null) => void = () => undefined,
): KeyValues {
  return {
    get length() {
      return values.size
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => {
      values.set(key, value)
      onWrite(key, value)
    },
    removeItem: (key) => {
      values.delete(key)
      onWrite(key, null)
    },
  }
}

/** A browser's storage for file handles, which survive a reload. Here it is kept in memory. */
export function memoryHandles(handles: Map<string, FileSystemFileHandle>): KeptHandles {
  return {
    save: async (id, handle) => void handles.set(id, handle),
    get: async (id) => handles.get(id),
    remove: async (id) => void handles.delete(id),
    removeAllBut: async (kept) => {
      for (const id of handles.keys()) if (!kept.includes(id)) handles.delete(id)
    },
  }
}

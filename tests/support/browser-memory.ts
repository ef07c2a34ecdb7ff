import type { KeptFile, KeptTable } from '../../src/web/uploads/kept/kept-files.ts'
import type { KeptHandles } from '../../src/web/uploads/picking/handle-store.ts'
import type { KeyValues } from '../../src/web/uploads/records/upload-records.ts'

/** An in-memory `Storage`. `onWrite` is called at every change, with null for a removal. */
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

/** File handles in memory; in a browser they survive a reload. */
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

/** Kept files in memory. */
export function memoryKeptTable(): KeptTable {
  const stored = new Map<string, KeptFile>()
  return {
    add: async (files) => {
      for (const file of files) stored.set(file.id, file)
    },
    all: async () => [...stored.values()].reverse(),
    remove: async (ids) => {
      for (const id of ids) stored.delete(id)
    },
  }
}

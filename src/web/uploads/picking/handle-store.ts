import { createStore, delMany, get, keys, set } from 'idb-keyval'
import type { HandleStore } from '../upload-ports.ts'

/** The database table that keeps the file handles. Each method may reject. */
export interface HandleTable {
  get(id: string): Promise<FileSystemFileHandle | undefined>
  set(id: string, handle: FileSystemFileHandle): Promise<void>
  delete(ids: readonly string[]): Promise<void>
  ids(): Promise<string[]>
}

/** Keeps file handles in the browser's database, so that the page still has them after a reload. */
export interface KeptHandles extends HandleStore {
  removeAllBut(recordIds: readonly string[]): Promise<void>
}

/**
 * Makes the store of file handles. Its methods never reject. If the browser keeps no handles, for
 * instance in a private window, a person has to choose the file again after a reload.
 */
export function createHandleStore(table: HandleTable): KeptHandles {
  const quietly = (work: Promise<void>) => work.catch(() => undefined)
  return {
    save: (id, handle) => quietly(table.set(id, handle)),
    get: (id) => table.get(id).catch(() => undefined),
    remove: (id) => quietly(table.delete([id])),
    removeAllBut: (recordIds) => {
      const named = new Set(recordIds)
      return quietly(table.ids().then((ids) => table.delete(ids.filter((id) => !named.has(id)))))
    },
  }
}

/** Creates the store of this browser, in an IndexedDB database of its own. */
export function createBrowserHandleStore(): KeptHandles {
  const store = createStore('mayfly-uploads', 'file-handles')
  return createHandleStore({
    // idb-keyval throws where IndexedDB is missing. The async function turns this into a rejection.
    get: async (id) => get<FileSystemFileHandle>(id, store),
    set: async (id, handle) => set(id, handle, store),
    delete: async (ids) => delMany([...ids], store),
    ids: async () => keys<string>(store),
  })
}

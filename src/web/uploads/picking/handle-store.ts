import { createStore, delMany, get, keys, set } from 'idb-keyval'

/** The database table that keeps the file handles. Each method may reject. */
export interface HandleTable {
  get(id: string): Promise<FileSystemFileHandle | undefined>
  set(id: string, handle: FileSystemFileHandle): Promise<void>
  delete(ids: readonly string[]): Promise<void>
  ids(): Promise<string[]>
}

/**
 * Keeps file handles, by the id of the upload record, so that the page still has them after a
 * reload. Its methods never reject. If the browser keeps no handles, for instance in a private
 * window, `get` finds none.
 */
export interface HandleStore {
  save(recordId: string, handle: FileSystemFileHandle): Promise<void>
  get(recordId: string): Promise<FileSystemFileHandle | undefined>
  remove(recordId: string): Promise<void>
  removeAllBut(recordIds: readonly string[]): Promise<void>
}

export function createHandleStore(table: HandleTable): HandleStore {
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
export function createBrowserHandleStore(): HandleStore {
  const store = createStore('mayfly-uploads', 'file-handles')
  return createHandleStore({
    // idb-keyval throws where IndexedDB is missing. The async function turns this into a rejection.
    get: async (id) => get<FileSystemFileHandle>(id, store),
    set: async (id, handle) => set(id, handle, store),
    delete: async (ids) => delMany([...ids], store),
    ids: async () => keys<string>(store),
  })
}

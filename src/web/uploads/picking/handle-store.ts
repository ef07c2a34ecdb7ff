import { createStore, delMany, get, keys, set } from 'idb-keyval'

/** The database table for file handles. Any method may reject. */
export interface HandleTable {
  get(id: string): Promise<FileSystemFileHandle | undefined>
  set(id: string, handle: FileSystemFileHandle): Promise<void>
  delete(ids: readonly string[]): Promise<void>
  ids(): Promise<string[]>
}

/**
 * Stores file handles across reloads, by upload record ID. No method rejects. If the browser can't
 * store handles, as in a private window, `get` returns undefined.
 */
export interface HandleStore {
  save(recordId: string, handle: FileSystemFileHandle): Promise<void>
  get(recordId: string): Promise<FileSystemFileHandle | undefined>
  remove(recordId: string): Promise<void>
  removeAllExcept(recordIds: readonly string[]): Promise<void>
}

export function createHandleStore(table: HandleTable): HandleStore {
  const swallow = (work: Promise<void>) => work.catch(() => undefined)
  return {
    save: (id, handle) => swallow(table.set(id, handle)),
    get: (id) => table.get(id).catch(() => undefined),
    remove: (id) => swallow(table.delete([id])),
    removeAllExcept: (recordIds) => {
      const keptIds = new Set(recordIds)
      return swallow(table.ids().then((ids) => table.delete(ids.filter((id) => !keptIds.has(id)))))
    },
  }
}

/** Creates this browser's handle store, backed by a separate IndexedDB database. */
export function createBrowserHandleStore(): HandleStore {
  const store = createStore('mayfly-uploads', 'file-handles')
  return createHandleStore({
    // idb-keyval throws synchronously if there is no IndexedDB. An async function turns that into a
    // rejection.
    get: async (id) => get<FileSystemFileHandle>(id, store),
    set: async (id, handle) => set(id, handle, store),
    delete: async (ids) => delMany([...ids], store),
    ids: async () => keys<string>(store),
  })
}

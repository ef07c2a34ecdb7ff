import { createStore, del, delMany, get, keys, set } from 'idb-keyval'

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

/** Creates this browser's handle store, backed by a separate IndexedDB database. */
export function createBrowserHandleStore(): HandleStore {
  const store = createStore('mayfly-uploads', 'file-handles')
  return {
    save: (id, handle) => attempt(() => set(id, handle, store)),
    get: (id) => attempt(() => get<FileSystemFileHandle>(id, store)),
    remove: (id) => attempt(() => del(id, store)),
    removeAllExcept: (recordIds) =>
      attempt(async () => {
        const ids = await keys<string>(store)
        await delMany(
          ids.filter((id) => !recordIds.includes(id)),
          store,
        )
      }),
  }
}

/** Resolves to undefined if the work fails. idb-keyval throws if there is no IndexedDB. */
async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}

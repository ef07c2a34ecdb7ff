/**
 * Keeps files in this browser until their owner has signed in: files dropped on the landing page,
 * and files that a phone shares with the installed app. Nothing is sent to the server until the
 * user uploads them from the dashboard.
 */
import { createStore, delMany, setMany, values } from 'idb-keyval'
import { browserFileRetentionMs } from '../../../shared/rules/files/retention.ts'

/** A copy of a file in this browser. */
export interface KeptFile {
  /** IDs sort in the order the files were added. */
  id: string
  file: File
  /** Epoch milliseconds. */
  keptAt: number
}

/**
 * Why files can't be kept. `space`: the browser is out of storage. `unsupported`: the browser has
 * no storage, as in some private windows. `count`: there would be more than `maxKeptFiles` files.
 */
export type KeepError = 'space' | 'unsupported' | 'count'

/** The database table for kept files. Any method may reject. */
export interface KeptFileTable {
  /** Adds the files in one transaction: all or none. */
  add(files: readonly KeptFile[]): Promise<void>
  all(): Promise<KeptFile[]>
  remove(ids: readonly string[]): Promise<void>
}

export const maxKeptFiles = 100

/** The files kept in this browser. No method rejects. */
export interface KeptFiles {
  /** Keeps all of the files or none. Returns the error, or null on success. */
  keep(files: readonly File[]): Promise<KeepError | null>
  /** Removes expired files and returns the rest, oldest first. */
  list(): Promise<KeptFile[]>
  remove(ids: readonly string[]): Promise<void>
}

/** @param now returns the time in epoch milliseconds. */
export function createKeptFiles(table: KeptFileTable, now: () => number): KeptFiles {
  const remove = async (ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) await table.remove(ids).catch(() => undefined)
  }

  const list = async (): Promise<KeptFile[]> => {
    const all = await table.all().catch(() => [])
    const isExpired = ({ keptAt }: KeptFile) => now() - keptAt >= browserFileRetentionMs
    await remove(all.filter(isExpired).map(({ id }) => id))
    return all.filter((file) => !isExpired(file)).sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  const keep = async (files: readonly File[]): Promise<KeepError | null> => {
    if ((await list()).length + files.length > maxKeptFiles) return 'count'
    const keptAt = now()
    const suffix = [...crypto.getRandomValues(new Uint8Array(6))].join('')
    const createId = (index: number) => `${keptAt}-${String(index).padStart(3, '0')}-${suffix}`
    try {
      await table.add(files.map((file, index) => ({ id: createId(index), file, keptAt })))
      return null
    } catch (error) {
      const isFull = error instanceof Error && error.name === 'QuotaExceededError'
      return isFull ? 'space' : 'unsupported'
    }
  }

  return { keep, list, remove }
}

/** Returns this browser's kept files, stored in a separate IndexedDB database. */
export function createBrowserKeptFiles(): KeptFiles {
  const store = createStore('mayfly-kept', 'files')
  return createKeptFiles(
    {
      // idb-keyval throws synchronously if there is no IndexedDB. An async function turns that into
      // a rejection.
      add: async (files) =>
        setMany(
          files.map((file) => [file.id, file]),
          store,
        ),
      all: async () => values<KeptFile>(store),
      remove: async (ids) => delMany([...ids], store),
    },
    () => Date.now(),
  )
}

/**
 * Keeps files in this browser until their owner is signed in: files that a visitor drops on the
 * landing page, and files that a phone shares with the installed app. Nothing is sent to the
 * server. After sign-in, the dashboard offers to upload them.
 */
import { createStore, delMany, setMany, values } from 'idb-keyval'
import { browserFileKeptMs } from '../../../shared/rules/files/kept-times.ts'

/** A copy of a file, kept in this browser. */
export interface KeptFile {
  /** Ids sort in the order in which the files were kept. */
  id: string
  file: File
  /** In milliseconds since 1970. */
  keptAt: number
}

/**
 * Why files cannot be kept. `space`: the browser has too little space left. `unsupported`: the
 * browser stores nothing, as in some private windows. `count`: more than `maxKept` files would be
 * kept.
 */
export type KeepError = 'space' | 'unsupported' | 'count'

/** The browser's table of kept files. Each method may reject. */
export interface KeptTable {
  /** Adds all files in one transaction: all of them, or none. */
  add(files: readonly KeptFile[]): Promise<void>
  all(): Promise<KeptFile[]>
  remove(ids: readonly string[]): Promise<void>
}

/** At most this many files are kept. */
export const maxKept = 100

/** The files kept in this browser. No method rejects. */
export interface KeptFiles {
  /** Keeps all these files or none. Returns why none was kept, or null. */
  keep(files: readonly File[]): Promise<KeepError | null>
  /** Removes expired files, and returns the others, oldest first. */
  list(): Promise<KeptFile[]>
  remove(ids: readonly string[]): Promise<void>
}

/** @param now returns the time in milliseconds since 1970. */
export function createKeptFiles(table: KeptTable, now: () => number): KeptFiles {
  const remove = async (ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) await table.remove(ids).catch(() => undefined)
  }

  const list = async (): Promise<KeptFile[]> => {
    const all = await table.all().catch(() => [])
    const isExpired = ({ keptAt }: KeptFile) => now() - keptAt >= browserFileKeptMs
    await remove(all.filter(isExpired).map(({ id }) => id))
    return all.filter((kept) => !isExpired(kept)).sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  const keep = async (files: readonly File[]): Promise<KeepError | null> => {
    if ((await list()).length + files.length > maxKept) return 'count'
    const keptAt = now()
    const random = [...crypto.getRandomValues(new Uint8Array(6))].join('')
    const id = (index: number) => `${keptAt}-${String(index).padStart(3, '0')}-${random}`
    try {
      await table.add(files.map((file, index) => ({ id: id(index), file, keptAt })))
      return null
    } catch (error) {
      const isFull = error instanceof Error && error.name === 'QuotaExceededError'
      return isFull ? 'space' : 'unsupported'
    }
  }

  return { keep, list, remove }
}

/** Returns this browser's kept files. They are in an IndexedDB database of their own. */
export function createBrowserKeptFiles(): KeptFiles {
  // `createStore` throws in a browser without IndexedDB. It is called in async functions, so that
  // they reject instead.
  let opened: ReturnType<typeof createStore> | undefined
  const store = () => {
    opened ??= createStore('mayfly-kept', 'files')
    return opened
  }
  return createKeptFiles(
    {
      add: async (files) =>
        setMany(
          files.map((file) => [file.id, file]),
          store(),
        ),
      all: async () => values<KeptFile>(store()),
      remove: async (ids) => delMany([...ids], store()),
    },
    () => Date.now(),
  )
}

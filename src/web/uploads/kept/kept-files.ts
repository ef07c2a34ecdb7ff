/**
 * Keeps files in this browser before anybody uploads them: files that a visitor drops on the
 * landing page before signing up, and files that a phone shares with the installed application.
 * This code sends nothing. After sign-in, the dashboard offers to upload the files.
 */
import { createStore, delMany, setMany, values } from 'idb-keyval'
import { browserFileKeptMs } from '../../../shared/rules/files/kept-times.ts'
import type { PickedFile } from '../picking/picked-file.ts'

/** A file that waits in this browser. */
export interface KeptFile {
  id: string
  name: string
  /** The size in bytes. */
  size: number
  /** When the browser began to keep the file, in milliseconds since 1970. */
  keptAt: number
  /** A copy of the file, or a handle with which the browser finds the file on this device. */
  content: { file: File } | { handle: FileSystemFileHandle }
}

/**
 * Why a file cannot be kept. `room`: the browser has too little room for a copy. `browser`: the
 * browser stores nothing, as in some private windows. `number`: too many files are already waiting.
 */
export type KeepFault = 'room' | 'browser' | 'number'

/** The result of keeping files: which files are kept now, and which are not and why. */
export interface Kept {
  kept: KeptFile[]
  refused: { file: File; fault: KeepFault }[]
}

/** The table of kept files in the browser's database. Each method may reject. */
export interface KeptTable {
  /** Adds all files in one transaction: all of them, or none. */
  add(files: readonly KeptFile[]): Promise<void>
  all(): Promise<KeptFile[]>
  remove(ids: readonly string[]): Promise<void>
}

export interface KeptPorts {
  table: KeptTable
  /** Returns how many more bytes the browser can store, or null if the browser does not tell. */
  room(): Promise<number | null>
  /** Returns the current time in milliseconds since 1970. */
  now(): number
  newId(): string
}

/** At most this many files can wait. */
export const mostKept = 100

/**
 * Files up to this size are copied, even if there is a handle. The page can read a copy without
 * asking the user again, and the copy stays when the user moves the file. Copying a larger file
 * takes too much time and room.
 */
const copiedBelow = 16 * 1024 ** 2

/** The files that wait in this browser. No method rejects. */
export interface KeptFiles {
  /** Keeps as many of these files as the browser can. Resolves when they are stored. */
  keep(picked: readonly PickedFile[]): Promise<Kept>
  /**
   * Keeps copies of all these files or, if one cannot be kept, of none. This also holds if the
   * browser is closed meanwhile. Returns the reason if they are not kept, else null.
   */
  keepTogether(files: readonly File[]): Promise<KeepFault | null>
  /**
   * Returns the waiting files in the order in which they came. First removes those that are too
   * old.
   */
  list(): Promise<KeptFile[]>
  remove(ids: readonly string[]): Promise<void>
}

export function createKeptFiles({ table, room, now, newId }: KeptPorts): KeptFiles {
  const remove = async (ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) await table.remove(ids).catch(() => undefined)
  }

  const list = async (): Promise<KeptFile[]> => {
    const all = await table.all().catch(() => [])
    const tooOld = all.filter(({ keptAt }) => now() - keptAt >= browserFileKeptMs)
    await remove(tooOld.map(({ id }) => id))
    return all
      .filter((file) => !tooOld.includes(file))
      .sort((one, other) => one.keptAt - other.keptAt || (one.id < other.id ? -1 : 1))
  }

  /**
   * Stores one file. It stores a handle if there is one and the file is large. Otherwise, or if
   * this fails, it stores a copy.
   */
  const store = async ({ file, handle }: PickedFile): Promise<KeptFile | KeepFault> => {
    if (handle && file.size > copiedBelow) {
      const kept = { ...factsOf(file), content: { handle } }
      const isStored = await table.add([kept]).then(
        () => true,
        () => false,
      )
      if (isStored) return kept
    }
    const kept = { ...factsOf(file), content: { file } }
    return (await storeCopies([kept])) ?? kept
  }

  const factsOf = ({ name, size }: File): Omit<KeptFile, 'content'> => ({
    id: newId(),
    name,
    size,
    keptAt: now(),
  })

  /** Stores all these copies, or none of them. Returns the reason if it stored none, else null. */
  const storeCopies = async (copies: readonly KeptFile[]): Promise<KeepFault | null> => {
    const left = await room().catch(() => null)
    if (left !== null && copies.reduce((sum, { size }) => sum + size, 0) > left) return 'room'
    try {
      await table.add(copies)
      return null
    } catch (error) {
      const isFull = error instanceof Error && error.name === 'QuotaExceededError'
      return isFull ? 'room' : 'browser'
    }
  }

  /** Returns how many more files may wait. */
  const places = async (): Promise<number> => mostKept - (await list()).length

  return {
    list,
    remove,
    async keep(picked) {
      const outcome: Kept = { kept: [], refused: [] }
      let free = await places()
      for (const one of picked) {
        const stored = free > 0 ? await store(one) : 'number'
        if (typeof stored === 'string') outcome.refused.push({ file: one.file, fault: stored })
        else {
          outcome.kept.push(stored)
          free -= 1
        }
      }
      return outcome
    },
    async keepTogether(files) {
      if (files.length > (await places())) return 'number'
      return storeCopies(files.map((file) => ({ ...factsOf(file), content: { file } })))
    },
  }
}

let newest = 0

/** Returns a new id. It sorts after all ids that this page has made before. */
function nextId(): string {
  newest += 1
  const random = [...crypto.getRandomValues(new Uint8Array(6))]
  return [String(newest).padStart(6, '0'), ...random.map((byte) => byte.toString(36))].join('-')
}

/** Returns the store of waiting files. It uses its own IndexedDB database. */
export function createBrowserKeptFiles(): KeptFiles {
  // If the browser has no IndexedDB, `createStore` throws. The functions below are async, so they
  // reject then.
  let store: ReturnType<typeof createStore> | undefined
  const opened = () => {
    store ??= createStore('mayfly-kept', 'files')
    return store
  }
  return createKeptFiles({
    table: {
      add: async (files) =>
        setMany(
          files.map((file) => [file.id, file]),
          opened(),
        ),
      all: async () => values<KeptFile>(opened()),
      remove: async (ids) => delMany([...ids], opened()),
    },
    async room() {
      const { quota, usage } = (await navigator.storage?.estimate?.()) ?? {}
      return quota === undefined ? null : quota - (usage ?? 0)
    },
    now: () => Date.now(),
    newId: nextId,
  })
}

/**
 * Keeps files in this browser that nobody uploads yet: those that a visitor drops on the landing
 * page before signing up, and those that a phone shares with the installed application. Nothing of
 * them is sent. After signing in, the dashboard offers to upload them.
 */
import { createStore, delMany, setMany, values } from 'idb-keyval'
import type { PickedFile } from '../picking/picked-file.ts'

/** A file that waits in this browser. */
export interface KeptFile {
  id: string
  name: string
  /** In bytes. */
  size: number
  /** When it was kept, in milliseconds since 1970. */
  keptAt: number
  /** A copy of the file, or what finds the file again on this device. */
  content: { file: File } | { handle: FileSystemFileHandle }
}

/**
 * Why a file is not kept. `room`: the browser has not enough room for a copy. `browser`: the browser
 * keeps no files, as in some private windows. `number`: too many files wait already.
 */
export type KeepFault = 'room' | 'browser' | 'number'

/** What became of files that were to be kept. */
export interface Kept {
  kept: KeptFile[]
  refused: { file: File; fault: KeepFault }[]
}

/** The database table of kept files. Each method may reject. */
export interface KeptTable {
  add(files: readonly KeptFile[]): Promise<void>
  all(): Promise<KeptFile[]>
  remove(ids: readonly string[]): Promise<void>
}

export interface KeptPorts {
  table: KeptTable
  /** Returns how many bytes the browser still has room for; null where it does not tell. */
  room(): Promise<number | null>
  /** Returns the present time in milliseconds since 1970. */
  now(): number
  newId(): string
}

/** After this time a file is removed, so that no file waits for somebody else for ever. */
export const keptForMs = 24 * 60 * 60_000

/** How many files wait at most. */
export const mostKept = 100

/**
 * A file of at most this size is copied even if the browser gives a handle. A copy can be read
 * without asking the person again, and stays when the file is moved. A larger one costs time and
 * room.
 */
const copiedBelow = 16 * 1024 ** 2

/** The files that wait in this browser. No method rejects. */
export interface KeptFiles {
  /** Keeps files, as far as the browser allows it. Resolves when they are safely stored. */
  keep(picked: readonly PickedFile[]): Promise<Kept>
  /** Returns the files that wait, in the order in which they came. Removes those that are too old. */
  list(): Promise<KeptFile[]>
  remove(ids: readonly string[]): Promise<void>
}

export function createKeptFiles({ table, room, now, newId }: KeptPorts): KeptFiles {
  async function remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await table.remove(ids).catch(() => undefined)
  }

  async function list(): Promise<KeptFile[]> {
    const all = await table.all().catch(() => [])
    const tooOld = all.filter(({ keptAt }) => now() - keptAt >= keptForMs)
    await remove(tooOld.map(({ id }) => id))
    return all
      .filter((file) => !tooOld.includes(file))
      .sort((one, other) => one.keptAt - other.keptAt || (one.id < other.id ? -1 : 1))
  }

  /** Stores one file. By its handle where that is better, and by a copy where a handle fails. */
  async function store({ file, handle }: PickedFile): Promise<KeptFile | KeepFault> {
    const { name, size } = file
    const facts = { id: newId(), name, size, keptAt: now() }
    if (handle && size > copiedBelow) {
      const kept = { ...facts, content: { handle } }
      const isStored = await table.add([kept]).then(
        () => true,
        () => false,
      )
      if (isStored) return kept
    }
    const left = await room().catch(() => null)
    if (left !== null && size > left) return 'room'
    const kept = { ...facts, content: { file } }
    try {
      await table.add([kept])
      return kept
    } catch (error) {
      const isFull = error instanceof Error && error.name === 'QuotaExceededError'
      return isFull ? 'room' : 'browser'
    }
  }

  return {
    list,
    remove,
    async keep(picked) {
      const outcome: Kept = { kept: [], refused: [] }
      let places = mostKept - (await list()).length
      for (const one of picked) {
        const stored = places > 0 ? await store(one) : 'number'
        if (typeof stored === 'string') outcome.refused.push({ file: one.file, fault: stored })
        else {
          outcome.kept.push(stored)
          places -= 1
        }
      }
      return outcome
    },
  }
}

let newest = 0

/** Returns an id that sorts after those that this page made before. */
function nextId(): string {
  newest += 1
  const random = [...crypto.getRandomValues(new Uint8Array(6))]
  return [String(newest).padStart(6, '0'), ...random.map((byte) => byte.toString(36))].join('-')
}

/** The files that wait in this browser, in an IndexedDB database of their own. */
export function createBrowserKeptFiles(): KeptFiles {
  // idb-keyval throws where IndexedDB is missing. The async functions turn this into a rejection.
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

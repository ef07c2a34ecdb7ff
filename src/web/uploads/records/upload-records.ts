import type { Timers } from '../timers.ts'
import { recordKeyPrefix } from './record-key.ts'
import { isForgotten, parseRecord, type UploadRecord } from './upload-record.ts'

/**
 * Changes within this time are written together, because each write to localStorage blocks the
 * page.
 */
const writeEveryMs = 200

/** The part of the browser's `localStorage` that is used here. Each method may throw. */
export type KeyValues = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/**
 * Returns the keys that begin with `prefix`.
 * @throws the errors of the storage.
 */
export function keysOf(storage: KeyValues, prefix: string): string[] {
  return Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter((key) =>
    key?.startsWith(prefix),
  ) as string[]
}

/**
 * The upload records in localStorage, each under a key of its own (spec §3). Its methods never
 * throw.
 */
export interface RecordStore {
  /**
   * Returns all records, oldest first. Removes unreadable records, and those that completed or
   * failed over 24 h ago.
   */
  load(): UploadRecord[]
  /** Writes the record within 200 ms, together with other changes. */
  save(record: UploadRecord): void
  remove(id: string): void
  /** Writes all waiting changes immediately. */
  flush(): void
  /**
   * Forgets all changes that are not written yet. Call it when another tab has begun to run the
   * uploads.
   */
  discard(): void
  /**
   * Writes a record again after another tab has changed its key. Only this tab runs the uploads,
   * but a tab that was frozen may not know this yet and write an older state.
   */
  writeAgain(key: string | null): void
}

/**
 * Creates the store of records. If localStorage is full or forbidden, a record is lost when the
 * page is closed.
 */
export function createRecordStore(storage: () => KeyValues, timers: Timers): RecordStore {
  /** Changes that are not written yet, by record id; null for a record to be removed. */
  const unwritten = new Map<string, UploadRecord | null>()
  /** The latest state of each record, written or not; null for a removed record. */
  const known = new Map<string, UploadRecord | null>()
  let isWaiting = false

  const write = (id: string, record: UploadRecord | null) => {
    try {
      const key = recordKeyPrefix + id
      if (record) storage().setItem(key, JSON.stringify(record))
      else storage().removeItem(key)
    } catch {
      // The write failed. Remove the older state, or the next page would continue from it.
      if (record) write(id, null)
    }
  }
  const flush = () => {
    for (const [id, record] of unwritten) write(id, record)
    unwritten.clear()
  }
  const put = (id: string, record: UploadRecord | null) => {
    unwritten.set(id, record)
    known.set(id, record)
    if (isWaiting) return
    isWaiting = true
    timers.after(writeEveryMs, () => {
      isWaiting = false
      flush()
    })
  }
  return {
    load: () => {
      flush()
      const records: UploadRecord[] = []
      try {
        for (const key of keysOf(storage(), recordKeyPrefix)) {
          const record = parseRecord(storage().getItem(key) ?? '')
          const isReadable = record !== null && recordKeyPrefix + record.id === key
          if (isReadable && !isForgotten(record, timers.now())) records.push(record)
          else storage().removeItem(key)
        }
      } catch {
        // The browser forbids localStorage, so no records exist.
      }
      return records.sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    save: (record) => put(record.id, record),
    remove: (id) => put(id, null),
    flush,
    discard: () => {
      unwritten.clear()
      known.clear()
    },
    writeAgain: (key) => {
      if (!key?.startsWith(recordKeyPrefix)) return
      const id = key.slice(recordKeyPrefix.length)
      const record = known.get(id)
      if (record !== undefined) put(id, record)
    },
  }
}

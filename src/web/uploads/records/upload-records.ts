import { dayInMs } from '../../../shared/rules/lifetime.ts'
import type { Timers } from '../timers.ts'
import { recordKeyPrefix } from './record-key.ts'
import { parseRecord, type UploadRecord } from './upload-record.ts'

/** Changes within this time are written together. */
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

/** The records in the browser's storage, one key for each (spec §3). Its methods never throw. */
export interface RecordStore {
  /**
   * Returns all records, oldest first. Removes those that cannot be read and those that ended over
   * 24 h ago.
   */
  load(): UploadRecord[]
  /** Writes the record soon, together with other changes. */
  save(record: UploadRecord): void
  remove(id: string): void
  /** Writes all waiting changes at once. */
  flush(): void
  /** Drops all waiting changes, because another tab runs these uploads now. */
  discard(): void
  /**
   * Writes a key again after another tab has written to it. This tab runs the uploads, but a tab
   * that hung may not know this yet.
   */
  writeAgain(key: string | null): void
}

function isForgotten({ status, lastActivity }: UploadRecord, now: number) {
  return (status === 'completed' || status === 'failed') && now - lastActivity > dayInMs
}

/**
 * Creates the store of records. Where `storage` is full or forbidden, a record lives as long as the
 * page.
 */
export function createRecordStore(storage: () => KeyValues, timers: Timers): RecordStore {
  /** Changes that are not written yet, by id; null for a record to be removed. */
  const unwritten = new Map<string, UploadRecord | null>()
  /** The latest state of each record, written or not. */
  const known = new Map<string, UploadRecord | null>()
  let isWaiting = false

  const write = (id: string, record: UploadRecord | null) => {
    try {
      const key = recordKeyPrefix + id
      if (record) storage().setItem(key, JSON.stringify(record))
      else storage().removeItem(key)
    } catch {
      // The older state must not stay, because the next page would go on from it.
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
        // The browser forbids storage, so it holds no records.
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

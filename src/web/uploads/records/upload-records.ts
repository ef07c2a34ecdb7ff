import { dayInMs } from '../../../shared/rules/lifetime.ts'
import type { Timers } from '../timers.ts'
import { recordKeyPrefix } from './record-key.ts'
import { parseRecord, type UploadRecord } from './upload-record.ts'

/** Changes within this time are written together. */
const writeEveryMs = 200

/** What is used of the browser's `localStorage`; any of it may throw. */
export type KeyValues = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** The keys that begin with `prefix`. @throws what the storage throws. */
export function keysOf(storage: KeyValues, prefix: string): string[] {
  return Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter((key) =>
    key?.startsWith(prefix),
  ) as string[]
}

/** The records in the browser's storage, one key each (spec §3). None of it throws. */
export interface RecordStore {
  /** All, oldest first. Removes what cannot be read and what ended over 24 h ago. */
  load(): UploadRecord[]
  /** Writes it soon, together with other changes. */
  save(record: UploadRecord): void
  remove(id: string): void
  /** Writes at once what is not written yet. */
  flush(): void
  /** Forgets what is not written yet: another tab runs these uploads now. */
  discard(): void
  /**
   * Another tab has written to a key. Writes again what this tab, which runs the uploads, wrote there: a tab
   * that hung may write a moment longer before it learns that another one runs them.
   */
  insist(key: string | null): void
}

function isForgotten({ status, lastActivity }: UploadRecord, now: number) {
  return (status === 'completed' || status === 'failed') && now - lastActivity > dayInMs
}

/**
 * Makes the store of records. Where `storage` is full or forbidden, a record lives as long as the page.
 */
export function createRecordStore(storage: () => KeyValues, timers: Timers): RecordStore {
  /** By id; null for those to be removed. */
  const unwritten = new Map<string, UploadRecord | null>()
  /** The last of each, written or not. */
  const known = new Map<string, UploadRecord | null>()
  let isWaiting = false

  const write = (id: string, record: UploadRecord | null) => {
    try {
      const key = recordKeyPrefix + id
      if (record) storage().setItem(key, JSON.stringify(record))
      else storage().removeItem(key)
    } catch {
      // Its older state must not stay: the next page would go on from that.
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
        // Forbidden: nothing was ever written.
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
    insist: (key) => {
      if (!key?.startsWith(recordKeyPrefix)) return
      const id = key.slice(recordKeyPrefix.length)
      const record = known.get(id)
      if (record !== undefined) put(id, record)
    },
  }
}

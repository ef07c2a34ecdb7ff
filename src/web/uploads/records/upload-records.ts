import { dayInMs } from '../../../shared/rules/lifetime.ts'
import type { Timers } from '../timers.ts'
import { recordKeyPrefix } from './record-key.ts'
import { parseRecord, type UploadRecord } from './upload-record.ts'

/** Changes within this time are written together. */
const writeEveryMs = 200

/** What is used of the browser's `localStorage`; any of it may throw. */
export type KeyValues = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** The keys that begin so. @throws what the storage throws. */
export const keysOf = (storage: KeyValues, prefix: string): string[] =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter((key) =>
    key?.startsWith(prefix),
  ) as string[]

/** The records in the browser's storage, one key each (spec §3). None of it throws. */
export interface RecordStore {
  /** All, oldest first; what cannot be read, and what ended over 24 h ago, is removed instead. */
  load(): UploadRecord[]
  /** Written soon, together with other changes. */
  save(record: UploadRecord): void
  remove(id: string): void
  /** Writes at once what is not written yet. */
  flush(): void
  /** Never writes what is not written yet: another tab runs these uploads now. */
  discard(): void
  /**
   * Another tab has written to a key: what this one wrote there, since it runs the uploads, is written
   * again. A tab that hung runs a moment longer before it learns that another took over.
   */
  insist(key: string | null): void
}

const isForgotten = ({ status, lastActivity }: UploadRecord, now: number) =>
  (status === 'completed' || status === 'failed') && now - lastActivity > dayInMs

/**
 * Keeps records in `storage`, which may be full or forbidden: what cannot be written lives as long as
 * the page does.
 */
export const createRecordStore = (storage: () => KeyValues, timers: Timers): RecordStore => {
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
      // An older state of it would be worse than none: it would be taken up again.
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

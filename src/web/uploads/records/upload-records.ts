import { recordKeyPrefix } from './record-key.ts'
import { isExpiredRecord } from './record-state.ts'
import { parseRecord, type UploadRecord } from './upload-record.ts'

/** The part of `localStorage` used here. Any method may throw. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/**
 * The upload records in localStorage, each under its own key (spec §3), shared by all tabs. No
 * method throws.
 */
export interface RecordStore {
  /**
   * Returns all records, oldest first. Removes unreadable records, and those that completed or
   * failed over 24 h ago.
   */
  load(): UploadRecord[]
  /** Returns the record as last written by any tab; null if there is none. */
  get(id: string): UploadRecord | null
  /** Writes the record. Doesn't restore a record that another tab has removed. */
  save(record: UploadRecord): void
  remove(id: string): void
  /** True if another tab has removed the record since this tab last wrote or read it. */
  isRemoved(id: string): boolean
}

/**
 * Creates the record store. If localStorage is full or blocked, records are lost when the page
 * closes.
 * @param now returns the time in epoch milliseconds.
 * @param onWrite called after a record has been written or removed.
 */
export function createRecordStore(
  storage: () => KeyValueStorage,
  now: () => number,
  onWrite: () => void,
): RecordStore {
  /** IDs of records that were in localStorage when this tab last wrote or read them. */
  const storedIds = new Set<string>()

  const writeRecord = (id: string, record: UploadRecord | null) => {
    if (record && isRemoved(id)) return
    storedIds.delete(id)
    try {
      const key = recordKeyPrefix + id
      if (!record) return storage().removeItem(key)
      storage().setItem(key, JSON.stringify(record))
      storedIds.add(id)
    } catch {
      // The write failed. Remove the outdated record, because a reload would resume from it.
      if (record) writeRecord(id, null)
    }
  }
  const write = (id: string, record: UploadRecord | null) => {
    writeRecord(id, record)
    onWrite()
  }
  const readRecord = (id: string): string | null => {
    try {
      return storage().getItem(recordKeyPrefix + id)
    } catch {
      return null
    }
  }
  const isRemoved = (id: string): boolean => storedIds.has(id) && readRecord(id) === null
  return {
    load: () => {
      const records: UploadRecord[] = []
      try {
        const keys = Array.from({ length: storage().length }, (_, index) => storage().key(index))
        for (const key of keys) {
          if (!key?.startsWith(recordKeyPrefix)) continue
          const record = parseRecord(storage().getItem(key) ?? '')
          const isValid = record !== null && recordKeyPrefix + record.id === key
          if (isValid && !isExpiredRecord(record, now())) {
            records.push(record)
            storedIds.add(record.id)
          } else storage().removeItem(key)
        }
      } catch {
        // The browser blocks localStorage, so there are no records.
      }
      return records.sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    get: (id) => parseRecord(readRecord(id) ?? ''),
    save: (record) => write(record.id, record),
    remove: (id) => write(id, null),
    isRemoved,
  }
}

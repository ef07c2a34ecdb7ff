import type { Timers } from '../timers.ts'
import { recordKeyPrefix } from './record-key.ts'
import { isExpiredRecord, parseRecord, type UploadRecord } from './upload-record.ts'

/** Writes to localStorage are combined, because each one blocks the page. */
const writeIntervalMs = 200

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
  /**
   * Writes the record within 200 ms, along with other changes. Doesn't restore a record that
   * another tab has removed.
   */
  save(record: UploadRecord): void
  remove(id: string): void
  /** Writes all pending changes immediately. */
  flush(): void
  /** True if another tab has removed the record since this tab last wrote or read it. */
  isRemoved(id: string): boolean
}

/**
 * Creates the record store. If localStorage is full or blocked, records are lost when the page
 * closes.
 * @param onWrite called after changes have been written.
 */
export function createRecordStore(
  storage: () => KeyValueStorage,
  timers: Timers,
  onWrite: () => void,
): RecordStore {
  /** Pending changes by record ID; null for a removal. */
  const pendingWrites = new Map<string, UploadRecord | null>()
  /** IDs of records that were in localStorage when this tab last wrote or read them. */
  const storedIds = new Set<string>()
  let isWriteScheduled = false

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
  const flush = () => {
    if (pendingWrites.size === 0) return
    for (const [id, record] of pendingWrites) writeRecord(id, record)
    pendingWrites.clear()
    onWrite()
  }
  const scheduleWrite = (id: string, record: UploadRecord | null) => {
    pendingWrites.set(id, record)
    if (isWriteScheduled) return
    isWriteScheduled = true
    timers.runAfter(writeIntervalMs, () => {
      isWriteScheduled = false
      flush()
    })
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
      flush()
      const records: UploadRecord[] = []
      try {
        const keys = Array.from({ length: storage().length }, (_, index) => storage().key(index))
        for (const key of keys) {
          if (!key?.startsWith(recordKeyPrefix)) continue
          const record = parseRecord(storage().getItem(key) ?? '')
          const isValid = record !== null && recordKeyPrefix + record.id === key
          if (isValid && !isExpiredRecord(record, timers.now())) {
            records.push(record)
            storedIds.add(record.id)
          } else storage().removeItem(key)
        }
      } catch {
        // The browser blocks localStorage, so there are no records.
      }
      return records.sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    get: (id) => {
      flush()
      return parseRecord(readRecord(id) ?? '')
    },
    save: (record) => scheduleWrite(record.id, record),
    remove: (id) => scheduleWrite(id, null),
    flush,
    isRemoved,
  }
}

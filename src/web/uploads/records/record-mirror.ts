import { coalesce, type Timers } from '../timers.ts'
import { recordKeyPrefix } from './record-key.ts'
import { parseRecord, type UploadRecord } from './upload-record.ts'

/** Changes within this time are shown together. */
const shownEveryMs = 100

/** The records that the leading tab writes, as a following tab sees them. */
export interface RecordMirror {
  /** Returns the records, oldest first. */
  records(): UploadRecord[]
  /**
   * Notes the new value of a key in the browser's storage. A key of null means that the storage was
   * cleared.
   */
  hear(key: string | null, value: string | null): void
}

/**
 * Creates the mirror.
 * @param load returns all records in the browser's storage.
 */
export function createRecordMirror(
  load: () => readonly UploadRecord[],
  timers: Timers,
  onChange: () => void,
): RecordMirror {
  const records = new Map(load().map((record) => [record.id, record]))
  const changed = coalesce(timers, shownEveryMs, onChange)
  return {
    records: () => [...records.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    hear: (key, value) => {
      if (key !== null && !key.startsWith(recordKeyPrefix)) return
      if (key === null) records.clear()
      else {
        const id = key.slice(recordKeyPrefix.length)
        const record = value === null ? null : parseRecord(value)
        if (record?.id === id) records.set(id, record)
        else records.delete(id)
      }
      changed()
    },
  }
}

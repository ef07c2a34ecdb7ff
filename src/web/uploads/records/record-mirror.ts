import { coalesce, type Timers } from '../timers.ts'
import { recordKeyPrefix } from './record-key.ts'
import { parseRecord, type UploadRecord } from './upload-record.ts'

/** Changes within this time are shown together, so that the page is not drawn for each of them. */
const shownEveryMs = 100

/**
 * A copy of the upload records that another tab writes. One tab runs all uploads; the other tabs
 * show this copy.
 */
export interface RecordMirror {
  /** Returns the records, oldest first. */
  records(): UploadRecord[]
  /**
   * Takes the new value of a localStorage key. A null key means that localStorage was cleared, a
   * null value that the key was removed.
   */
  hear(key: string | null, value: string | null): void
}

/**
 * Creates the copy of the upload records that a tab shows.
 * @param load returns all records in localStorage.
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

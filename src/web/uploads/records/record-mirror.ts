import { coalesce, type Timers } from '../timers.ts'
import { recordKeyPrefix } from './record-key.ts'
import { parseRecord, type UploadRecord } from './upload-record.ts'

/** Many changes at once are shown together. */
const shownEveryMs = 100

/** The records that the leading tab writes, as a tab that follows sees them. */
export interface RecordMirror {
  /** Oldest first. */
  records(): UploadRecord[]
  /** A key of the browser's storage has this value now. A key of null: the storage was cleared. */
  hear(key: string | null, value: string | null): void
}

/** @param load answers all records that storage holds. */
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

import { dayInMs, expirationDays } from '../../../shared/rules/lifetime.ts'
import type { Timers } from '../timers.ts'
import { recordKeyPrefix } from './record-key.ts'
import type { UploadRecord } from './upload-record.ts'

/** Changes within this time are written together. */
const writeEveryMs = 200

type Check = (value: unknown) => boolean

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text: Check = (value) => typeof value === 'string'
const flag: Check = (value) => typeof value === 'boolean'
const amount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const moment: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const oneOf =
  (...choices: readonly unknown[]): Check =>
  (value) =>
    choices.includes(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const shape =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]))

const isRecord = shape({
  id: text,
  ownerId: text,
  batch: text,
  path: oneOf('foreground', 'background'),
  fileName: text,
  fileSize: amount,
  fileType: text,
  identity: shape({ name: text, size: amount, lastModified: moment, sample: orNull(text) }),
  pasted: flag,
  expirationDays: oneOf(...expirationDays),
  ticket: orNull(
    shape({
      uploadUrl: text,
      cloudKey: text,
      metadata: shape({ mimeType: text }),
      parts: optional(shape({ size: amount, count: amount })),
      checksum: oneOf('crc32', 'md5'),
    }),
  ),
  restarted: flag,
  uploadStartTime: orNull(moment),
  progress: (value) => amount(value) && (value as number) <= 100,
  uploadedBytes: amount,
  status: oneOf('pending', 'uploading', 'paused', 'completed', 'failed'),
  need: oneOf('file', 'permission', 'sign-in', null),
  lastActivity: moment,
  error: orNull(text),
})

/** Reads a record from its JSON; null for anything that no version of this program wrote. */
export const parseRecord = (json: string): UploadRecord | null => {
  try {
    const value: unknown = JSON.parse(json)
    return isRecord(value) ? (value as UploadRecord) : null
  } catch {
    return null
  }
}

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

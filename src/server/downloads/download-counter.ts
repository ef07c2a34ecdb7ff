import { dayOf } from '../../shared/rules/format/day.ts'

/** Adds `count` downloads of a file on one day (UTC). `last` is the time of the last one. */
export type WriteCount = (fileId: string, day: string, count: number, last: Date) => Promise<void>

/** Counts one download of a file. Resolves when it is in the database. */
export type CountDownload = (fileId: string, now: Date) => Promise<void>

/** Downloads for the next statement. */
interface Batch {
  count: number
  last: Date
  written: PromiseWithResolvers<void>
}

/**
 * Returns the function that counts downloads. All downloads of a file change the same row, so one
 * statement at a time runs for each file and day, and the next one counts what arrived meanwhile.
 * The first one waits for the end of the turn, because links that one query found arrive together.
 * If a statement fails, the callers whose downloads it contains get the error.
 */
export function makeDownloadCounter(write: WriteCount): CountDownload {
  /** An entry for each running statement: the batch of the next one, or null. */
  const pending = new Map<string, Batch | null>()

  const writeNext = (fileId: string, day: string): void => {
    const key = keyOf(fileId, day)
    const batch = pending.get(key)
    if (!batch) {
      pending.delete(key)
      return
    }
    pending.set(key, null)
    const written = write(fileId, day, batch.count, batch.last)
    batch.written.resolve(written)
    const next = () => writeNext(fileId, day)
    written.then(next, next)
  }

  return (fileId, now) => {
    const day = dayOf(now)
    const key = keyOf(fileId, day)
    if (!pending.has(key)) setImmediate(writeNext, fileId, day)
    const batch = pending.get(key) ?? {
      count: 0,
      last: now,
      written: Promise.withResolvers<void>(),
    }
    pending.set(key, batch)
    batch.count += 1
    batch.last = now
    return batch.written.promise
  }
}

function keyOf(fileId: string, day: string): string {
  return `${fileId} ${day}`
}

import { dayOf } from '../../shared/rules/format/day.ts'

/**
 * Writes `count` downloads of a file on one day (UTC), in one statement. `last` is when the last of
 * them was counted.
 */
export type WriteCount = (fileId: string, day: string, count: number, last: Date) => Promise<void>

/** Counts one download of a file. Resolves when it is written to the database. */
export type CountDownload = (fileId: string, now: Date) => Promise<void>

/** Downloads that will be written together by one statement. */
interface Batch {
  count: number
  last: Date
  written: PromiseWithResolvers<void>
}

/**
 * Returns the function that counts downloads. All downloads of a file change the same row, so
 * parallel statements would wait for one another. Therefore only one statement at a time runs for
 * each file and day. The function sends it at the end of the current turn of the event loop,
 * because requests whose links were found by one query arrive in the same turn. The next statement
 * counts all downloads that arrive while a statement runs.
 *
 * A caller's promise resolves only when the caller's own download has been written. If a statement
 * fails, only the callers whose downloads it contained get the error.
 */
export function countTogether(write: WriteCount): CountDownload {
  /**
   * An entry exists while a statement for this file and day runs, or is about to be sent. Its value
   * is what the next statement will count; null if nothing waits to be counted.
   */
  const waiting = new Map<string, Batch | null>()

  const writeNext = (fileId: string, day: string): void => {
    const key = keyOf(fileId, day)
    const batch = waiting.get(key)
    if (!batch) {
      waiting.delete(key)
      return
    }
    waiting.set(key, null)
    const written = write(fileId, day, batch.count, batch.last)
    batch.written.resolve(written)
    const goOn = () => writeNext(fileId, day)
    written.then(goOn, goOn)
  }

  return (fileId, now) => {
    const day = dayOf(now)
    const key = keyOf(fileId, day)
    if (!waiting.has(key)) setImmediate(writeNext, fileId, day)
    const batch = waiting.get(key) ?? {
      count: 0,
      last: now,
      written: Promise.withResolvers<void>(),
    }
    waiting.set(key, batch)
    batch.count += 1
    batch.last = now
    return batch.written.promise
  }
}

function keyOf(fileId: string, day: string): string {
  return `${fileId} ${day}`
}

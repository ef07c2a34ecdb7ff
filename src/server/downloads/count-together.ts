import { dayOf } from '../../shared/rules/day.ts'

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
 * Makes the function that counts downloads. Every download of a file changes the same row, and each
 * would wait for the one before. So only one statement at a time runs for each file. The first
 * download is written immediately. Downloads that arrive meanwhile are written together by the next
 * statement.
 *
 * A caller is told only after the caller's own download was written. If a statement fails, only the
 * callers whose downloads it contained get the error.
 */
export function countTogether(write: WriteCount): CountDownload {
  /**
   * The files for which a statement is running, each with the downloads that wait for the next
   * statement.
   */
  const running = new Map<string, Batch | null>()

  const run = async (fileId: string, day: string, count: number, last: Date): Promise<void> => {
    const key = keyOf(fileId, day)
    running.set(key, null)
    try {
      await write(fileId, day, count, last)
    } finally {
      const next = running.get(key)
      if (next) next.written.resolve(run(fileId, day, next.count, next.last))
      else running.delete(key)
    }
  }

  return (fileId, now) => {
    const day = dayOf(now)
    const key = keyOf(fileId, day)
    const next = running.get(key)
    if (next === undefined) return run(fileId, day, 1, now)
    const batch = next ?? { count: 0, last: now, written: Promise.withResolvers<void>() }
    running.set(key, batch)
    batch.count += 1
    batch.last = now
    return batch.written.promise
  }
}

function keyOf(fileId: string, day: string): string {
  return `${fileId} ${day}`
}

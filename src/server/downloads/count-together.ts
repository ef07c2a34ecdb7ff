/** Writes `count` downloads of a file for one day (UTC), in one statement. */
export type WriteCount = (fileId: string, day: string, count: number) => Promise<void>

/** Counts one download of a file. Resolves when it is written. */
export type CountDownload = (fileId: string, now: Date) => Promise<void>

/** Downloads that are written by one statement. */
interface Batch {
  count: number
  written: PromiseWithResolvers<void>
}

/**
 * Makes the function that counts downloads. Every download of a file changes the same row, and its
 * answer waits for that. So there is one statement at a time for each file: the first download runs
 * at once, and those that come meanwhile are written together by the next one.
 *
 * No caller is told before its own download is written. A failed statement fails for the callers
 * whose downloads it held, and for nobody else.
 */
export function countTogether(write: WriteCount): CountDownload {
  /** The files with a statement under way, each with the downloads that wait for the next one. */
  const running = new Map<string, Batch | null>()

  const run = async (key: string, fileId: string, day: string, count: number): Promise<void> => {
    running.set(key, null)
    try {
      await write(fileId, day, count)
    } finally {
      const next = running.get(key)
      if (next) next.written.resolve(run(key, fileId, day, next.count))
      else running.delete(key)
    }
  }

  return (fileId, now) => {
    const day = now.toISOString().slice(0, 10)
    const key = `${fileId} ${day}`
    const next = running.get(key)
    if (next === undefined) return run(key, fileId, day, 1)
    const batch = next ?? { count: 0, written: Promise.withResolvers<void>() }
    running.set(key, batch)
    batch.count += 1
    return batch.written.promise
  }
}

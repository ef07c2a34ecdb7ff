import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import type { Storage } from './storage.ts'
import type { Stores } from './stores.ts'

/**
 * After a try to remove bytes has begun, nobody tries the same bytes again for this long. Then a
 * removal that failed or was interrupted is tried again. The time doubles with each try, up to
 * `longestWaitMs`. So after a store can be reached again, its bytes are removed well within
 * `overdueMs`.
 */
const firstWaitMs = 2 * minuteInMs
export const longestWaitMs = 10 * minuteInMs
/** The Admin Center reports bytes that are still stored this long after they should be removed. */
export const overdueMs = 15 * minuteInMs

/** Returns, as SQL, when the next try may begin. `tries` counts the tries before this one. */
export function nextTryAt(tries: SQLWrapper | number, now: Date): SQL {
  const waitMs = sql`least(${firstWaitMs} * power(2, least(${tries}, 9)), ${longestWaitMs})`
  return sql`${now}::timestamptz + ${waitMs} * interval '1 millisecond'`
}

/** How many objects are removed in parallel. */
const batchSize = 100

/** A row whose bytes are to be removed. */
interface StoredRow {
  id: string
  storage: StorageName
  storageKey: string
}

/**
 * Removes the bytes of these rows. It is called right after the transaction that marked the rows
 * for removal, so that the space is free at once. If a removal fails or is interrupted, the purge
 * job removes the bytes later. Never rejects.
 * @param record is called with the ids of the rows for which storage has confirmed that no bytes
 * are left.
 */
export async function removeStored(
  { log, stores }: { log: Pick<Logger, 'warn'>; stores: Stores },
  rows: readonly StoredRow[],
  record: (ids: string[]) => Promise<unknown>,
): Promise<void> {
  for (const [store, stored] of Map.groupBy(rows, ({ storage }) => storage)) {
    for (let from = 0; from < stored.length; from += batchSize) {
      const batch = stored.slice(from, from + batchSize)
      try {
        const keys = batch.map(({ storageKey }) => storageKey)
        const { gone, fault } = await removeForGood(stores.of(store), keys)
        await record(batch.filter(({ storageKey }) => gone.has(storageKey)).map(({ id }) => id))
        if (gone.size < keys.length) throw fault
      } catch (error) {
        const ids = batch.map(({ id }) => id)
        log.warn({ err: error, store, fileIds: ids }, 'files leave their bytes to the next purge')
        // The store probably cannot be reached. So the purge job removes the other rows' bytes too.
        break
      }
    }
  }
}

/** What a removal of several objects did. */
export interface Removed {
  /** The keys under which storage has no bytes any more. */
  gone: ReadonlySet<string>
  /** The first error; undefined if `gone` has all keys. */
  fault: unknown
}

/**
 * Removes the bytes under these keys, so that no power cut can bring them back. Then it asks
 * storage whether any are left, because the receipt of a deletion says that none are. Missing bytes
 * count as removed. Never rejects.
 */
export async function removeForGood(storage: Storage, keys: readonly string[]): Promise<Removed> {
  const removed = await doEach(keys, (key) => storage.remove(key))
  try {
    await storage.syncRemovals(removed.done)
  } catch (fault) {
    return { gone: new Set(), fault }
  }
  const confirmed = await doEach(removed.done, async (key) => {
    const left = await storage.storedSize(key)
    if (left !== null) throw new Error(`storage still has ${left} bytes after their removal`)
  })
  return { gone: new Set(confirmed.done), fault: removed.fault ?? confirmed.fault }
}

/** Does something for all keys in parallel. Returns the keys for which it succeeded. */
async function doEach(
  keys: readonly string[],
  act: (key: string) => Promise<void>,
): Promise<{ done: string[]; fault: unknown }> {
  const results = await Promise.allSettled(keys.map(act))
  const done = keys.filter((_, at) => results[at]?.status === 'fulfilled')
  const failed = results.find((result) => result.status === 'rejected')
  return { done, fault: failed?.reason }
}

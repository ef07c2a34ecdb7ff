import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import type { Storage } from './storage.ts'
import type { Stores } from './stores.ts'

/**
 * The delay from the start of a failed or interrupted removal attempt to the next attempt. It
 * doubles with each attempt, up to `maxDelayMs`. So once a store is reachable again, its bytes are
 * removed well before `overdueMs`.
 */
const minDelayMs = 2 * minuteInMs
export const maxDelayMs = 10 * minuteInMs
/**
 * The Admin Center reports bytes that are still stored this long after they should have been
 * removed.
 */
export const overdueMs = 15 * minuteInMs

/**
 * Returns SQL for the earliest time of the next attempt to remove bytes. `attempts` is how many
 * attempts were made before the current one.
 */
export function nextAttemptAt(attempts: SQLWrapper | number, now: Date): SQL {
  const delayMs = sql`least(${minDelayMs} * power(2, least(${attempts}, 9)), ${maxDelayMs})`
  return sql`${now}::timestamptz + ${delayMs} * interval '1 millisecond'`
}

/** How many objects are removed in parallel. */
const batchSize = 100

interface StoredRow {
  id: string
  storage: StorageName
  storageKey: string
}

/**
 * Removes the bytes that these rows refer to. Called right after the transaction that marked the
 * rows for removal, to free the space at once. If a removal fails or is interrupted, the purge job
 * removes the bytes later. Never rejects.
 * @param record called with the ids of the rows whose bytes storage has confirmed to be gone.
 */
export async function removeStored(
  { log, stores }: { log: Pick<Logger, 'warn'>; stores: Stores },
  rows: readonly StoredRow[],
  record: (ids: string[]) => Promise<unknown>,
): Promise<void> {
  for (const [store, storedRows] of Map.groupBy(rows, ({ storage }) => storage)) {
    for (let from = 0; from < storedRows.length; from += batchSize) {
      const batch = storedRows.slice(from, from + batchSize)
      try {
        const keys = batch.map(({ storageKey }) => storageKey)
        const { removedKeys, firstError } = await removePermanently(stores.get(store), keys)
        await record(
          batch.filter(({ storageKey }) => removedKeys.has(storageKey)).map(({ id }) => id),
        )
        if (removedKeys.size < keys.length) throw firstError
      } catch (error) {
        const ids = batch.map(({ id }) => id)
        log.warn(
          { err: error, store, fileIds: ids },
          'cannot remove the bytes of files; the next purge retries',
        )
        // The store is probably unreachable, so leave the remaining rows to the purge job.
        break
      }
    }
  }
}

export interface RemovalResult {
  /** The keys that no longer have any bytes in storage. */
  removedKeys: ReadonlySet<string>
  /** The first error; undefined if `removedKeys` contains all keys. */
  firstError: unknown
}

/**
 * Durably removes the bytes under these keys. Then checks that none are left, because a receipt
 * will certify the removal. Missing bytes count as removed. Never rejects.
 */
export async function removePermanently(
  storage: Storage,
  keys: readonly string[],
): Promise<RemovalResult> {
  const removal = await settleEach(keys, (key) => storage.remove(key))
  try {
    await storage.syncRemovals(removal.succeeded)
  } catch (error) {
    return { removedKeys: new Set(), firstError: error }
  }
  const confirmation = await settleEach(removal.succeeded, async (key) => {
    const remainingBytes = await storage.storedSize(key)
    if (remainingBytes !== null)
      throw new Error(`storage still has ${remainingBytes} bytes after their removal`)
  })
  return {
    removedKeys: new Set(confirmation.succeeded),
    firstError: removal.firstError ?? confirmation.firstError,
  }
}

/** Runs `action` for all keys in parallel. Returns the keys for which it succeeded. */
async function settleEach(
  keys: readonly string[],
  action: (key: string) => Promise<void>,
): Promise<{ succeeded: string[]; firstError: unknown }> {
  const results = await Promise.allSettled(keys.map(action))
  const succeeded = keys.filter((_, index) => results[index]?.status === 'fulfilled')
  const failure = results.find((result) => result.status === 'rejected')
  return { succeeded, firstError: failure?.reason }
}

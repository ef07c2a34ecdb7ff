import type { Logger } from 'pino'
import type { Stores } from '../storage/stores.ts'
import type { StoredUpload } from './queries.ts'

/**
 * Removes what was stored of uploads that are over. Their rows went first: bytes that cannot be
 * removed now, or not before the server is cut off, are objects that no row names, which the orphan
 * sweep removes.
 */
export async function removeBytes(
  stores: Stores,
  uploads: readonly StoredUpload[],
  log: Logger,
): Promise<void> {
  for (const { storageKey, storage } of uploads) {
    try {
      await stores.of(storage).remove(storageKey)
    } catch (error) {
      log.warn({ err: error, storageKey }, 'an upload left its bytes to the orphan sweep')
    }
  }
}

import type { Logger } from 'pino'
import type { Stores } from '../storage/stores.ts'
import type { StoredUpload } from './queries.ts'

/**
 * Removes the stored bytes of ended uploads, whose rows are deleted already. If the removal fails
 * or is interrupted, the nightly comparison of storage with the database removes the bytes later,
 * because no row names them.
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
      log.warn({ err: error, storageKey }, 'an upload left its bytes to the nightly comparison')
    }
  }
}

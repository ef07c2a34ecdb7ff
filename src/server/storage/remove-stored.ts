import type { Logger } from 'pino'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { removeForGood } from './remove-for-good.ts'
import type { Stores } from './stores.ts'

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

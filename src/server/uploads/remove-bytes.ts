import type { Deps } from '../deps.ts'
import { removeForGood } from '../storage/remove-for-good.ts'
import { type EndedUpload, endRemovals } from './removal-queries.ts'

/**
 * Removes the stored bytes of ended uploads. What fails or is interrupted is tried again within
 * minutes (`retryRemovals`), because `endUploads` has recorded it. Never rejects.
 */
export async function removeBytes(
  { clock, db, log, stores }: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>,
  uploads: readonly EndedUpload[],
): Promise<void> {
  for (const [store, ended] of Map.groupBy(uploads, ({ storage }) => storage)) {
    const keys = ended.map(({ storageKey }) => storageKey)
    try {
      const { gone, fault } = await removeForGood(stores.of(store), keys)
      await endRemovals(db, gone, clock())
      if (gone.size < keys.length) throw fault
    } catch (error) {
      log.warn({ err: error, store, keys }, 'ended uploads leave bytes to the next try')
    }
  }
}

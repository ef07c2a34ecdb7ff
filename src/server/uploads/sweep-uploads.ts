import type { Deps } from '../deps.ts'
import { takeIdleUploads } from './queries.ts'

/** Design §5: uploads idle for 24 h are removed with their bytes. */
const idleMs = 24 * 60 * 60 * 1000
const batchSize = 100

/**
 * Ends abandoned uploads. The row goes first: what is cut off between the two leaves an object that
 * no row names, which the orphan sweep removes.
 * @returns how many uploads were ended.
 */
export const sweepUploads = async ({
  clock,
  db,
  log,
  stores,
}: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>): Promise<number> => {
  let ended = 0
  for (;;) {
    const idle = await takeIdleUploads(db, new Date(clock().getTime() - idleMs), batchSize)
    for (const { cloudKey, storage } of idle) {
      try {
        await stores.of(storage).remove(cloudKey)
      } catch (error) {
        log.warn({ err: error, cloudKey }, 'abandoned upload left its bytes to the orphan sweep')
      }
    }
    ended += idle.length
    if (idle.length < batchSize) return ended
  }
}

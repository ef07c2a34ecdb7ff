import type { Deps } from '../deps.ts'
import { takeIdleUploads } from './queries.ts'
import { removeBytes } from './remove-bytes.ts'

/** Design §5: uploads idle for 24 h are removed with their bytes. */
const idleMs = 24 * 60 * 60 * 1000
const batchSize = 100

/**
 * Ends abandoned uploads and removes their bytes.
 * @returns how many uploads were ended.
 */
export async function sweepUploads({
  clock,
  db,
  log,
  stores,
}: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>): Promise<number> {
  let ended = 0
  for (;;) {
    const idle = await takeIdleUploads(db, new Date(clock().getTime() - idleMs), batchSize)
    await removeBytes(stores, idle, log)
    ended += idle.length
    if (idle.length < batchSize) return ended
  }
}

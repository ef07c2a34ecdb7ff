import { idleUploadKeptMs } from '../../shared/rules/files/kept-times.ts'
import type { Deps } from '../deps.ts'
import { pullBackActivity, takeIdleUploads } from './queries.ts'
import { removeBytes } from './remove-bytes.ts'

const batchSize = 100

/**
 * Ends uploads that were idle for 24 hours, and removes their bytes. An upload whose last activity
 * is in the future, because the clock was ahead then, counts as idle from now on.
 * @returns how many uploads were ended.
 */
export async function sweepUploads(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>,
): Promise<number> {
  const { clock, db } = deps
  await pullBackActivity(db, clock())
  let ended = 0
  for (;;) {
    const now = clock()
    const before = new Date(now.getTime() - idleUploadKeptMs)
    const idle = await takeIdleUploads(db, { before, now, limit: batchSize })
    await removeBytes(deps, idle)
    ended += idle.length
    if (idle.length < batchSize) return ended
  }
}

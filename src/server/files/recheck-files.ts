import type { Db, Deps } from '../deps.ts'
import { forgetPlannedLooks, lockUserToRecheck, markRechecked } from './purge-queries.ts'

const batchSize = 1000

/**
 * Makes the purge look again at the expired files of users whose tier has changed. When an owner
 * can renew a file, the purge plans its next look for the moment when that is no longer possible.
 * With a new tier, this moment may be earlier. A user may have millions of files, so the change of
 * the tier only marks the user.
 *
 * It works in batches, each in its own transaction under the user's lock. A user stays marked until
 * all files are done, so a later run continues what was interrupted. If the tier changes in the
 * meantime, that change waits for the end of the batch, and marks the user again.
 */
export async function recheckFiles({ db }: Pick<Deps, 'db'>): Promise<void> {
  for (;;) {
    const isUserLeft = await db.transaction(recheckBatch)
    if (!isUserLeft) return
  }
}

async function recheckBatch(tx: Db): Promise<boolean> {
  const userId = await lockUserToRecheck(tx)
  if (userId === undefined) return false
  const forgotten = await forgetPlannedLooks(tx, userId, batchSize)
  if (forgotten < batchSize) await markRechecked(tx, userId)
  return true
}

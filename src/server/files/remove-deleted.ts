import type { Logger } from 'pino'
import type { Deps } from '../deps.ts'
import { removeStored } from '../storage/remove-stored.ts'
import { type DeletedFile, markPurged } from './queries.ts'

/**
 * At most this many files lose their bytes before a call is answered. With more, the answer could
 * take too long where storage is slow.
 */
export const mostRemovedAtOnce = 1000

/**
 * Removes the bytes of files that were just deleted: of the first `most` files that still have
 * bytes. The next purge removes the bytes of the others, and those whose removal failed. It also
 * removes those of files that were taken down, because the server may still need them to compute
 * their SHA-256. Never rejects.
 * @returns for how many files it has tried.
 */
export async function removeDeleted(
  { clock, db, log, stores }: Pick<Deps, 'clock' | 'db' | 'stores'> & { log: Pick<Logger, 'warn'> },
  deleted: readonly DeletedFile[],
  most = mostRemovedAtOnce,
): Promise<number> {
  const stored = deleted.filter(
    ({ purgedAt, takenDownAt }) => purgedAt === null && takenDownAt === null,
  )
  const first = stored.slice(0, most)
  await removeStored({ log, stores }, first, (ids) => markPurged(db, ids, clock()))
  return first.length
}

import { slotHeldMs } from '../../shared/rules/files/kept-times.ts'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { takeIdleUploads, type Upload } from './queries.ts'
import { removeBytes } from './remove-bytes.ts'

const batchSize = 10

/**
 * Lets one call of this server at a time end idle uploads of a store. Otherwise calls that start
 * together would each end some, although what the first one ends is enough for all.
 */
export class EvictionTurns {
  readonly #last = new Map<StorageName, Promise<void>>()

  /** Does work after all earlier work for this store, even if that has failed. */
  take(store: StorageName, work: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(store) ?? Promise.resolve()).then(work, work)
    this.#last.set(store, turn)
    return turn
  }
}

/**
 * Reserves room for an upload's bytes in its store. The space that uploads must leave free is never
 * reserved. If there is too little room, uploads that were idle for 15 minutes are ended, the
 * longest idle first (design §6: an abandoned upload blocks others no longer than that). Whoever
 * has waited for another call to end uploads first looks for room again.
 * @param isNew false for an upload that is resumed, which may have parts in the store.
 * @throws {AppError} STORAGE_FULL when there is no room; UPLOADS_UNFINISHED when the owner's other
 * uploads wait for too much of it.
 */
export async function promiseRoom(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'> & { evictionTurns: EvictionTurns },
  upload: Upload,
  isNew: boolean,
): Promise<void> {
  const { clock, db, evictionTurns, log, stores } = deps
  const { ownerId, storageKey, size } = upload
  const storage = stores.of(upload.storage)
  const arrived = isNew ? 0 : ((await storage.storedSize(storageKey)) ?? 0)
  const isPromised = () => storage.promiseRoom(storageKey, size - arrived, ownerId)
  if (await isPromised()) return
  await evictionTurns.take(storage.name, async () => {
    while (!(await isPromised())) {
      const now = clock()
      const before = new Date(now.getTime() - slotHeldMs)
      const which = { before, now, limit: batchSize, storage: storage.name, except: storageKey }
      const idle = await takeIdleUploads(db, which)
      if (idle.length === 0) throw new AppError('STORAGE_FULL')
      await removeBytes(deps, idle)
      log.info({ ended: idle.length }, 'Idle uploads made way for new ones')
    }
  })
}

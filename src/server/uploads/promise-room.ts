import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { slotHeldMs, takeIdleUploads, type Upload } from './queries.ts'
import { removeBytes } from './remove-bytes.ts'

const batchSize = 10

/**
 * Reserves room for an upload's bytes in its store. The space that uploads must leave free is never
 * reserved. If there is too little room, uploads that were idle for 15 minutes are ended, the
 * longest idle first (design §6: an abandoned upload blocks others no longer than that).
 * @param isNew false for an upload that is resumed, which may have parts in the store.
 * @throws {AppError} STORAGE_FULL when there is no room.
 */
export async function promiseRoom(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>,
  upload: Upload,
  isNew: boolean,
): Promise<void> {
  const { clock, db, log, stores } = deps
  const { storageKey, size } = upload
  const storage = stores.of(upload.storage)
  const arrived = isNew ? 0 : ((await storage.storedSize(storageKey)) ?? 0)
  while (!(await storage.promiseRoom(storageKey, size - arrived))) {
    const now = clock()
    const before = new Date(now.getTime() - slotHeldMs)
    const which = { before, now, limit: batchSize, storage: storage.name }
    const idle = await takeIdleUploads(db, which)
    if (idle.length === 0) throw new AppError('STORAGE_FULL')
    await removeBytes(deps, idle)
    log.info({ ended: idle.length }, 'Idle uploads made way for new ones')
  }
}

import { dayInMs } from '../../shared/rules/format/units.ts'
import type { Deps } from '../deps.ts'
import type { Storage } from '../storage/storage.ts'
import {
  findReferencedKeys,
  isFileStored,
  listReferencedKeys,
  type ReferencedKey,
} from './queries.ts'

/** The age at which objects without a database row are removed. */
const orphanAgeMs = dayInMs
const pageSize = 1000
/** Missing objects beyond this number are counted but not logged individually. */
const maxLoggedFiles = 100

type CompareDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

/** The result of comparing storage with the database. */
export type Comparison = {
  /** Objects listed by storage. */
  objects: number
  /** Objects that were removed because they had no row. */
  removed: number
  /** Objects without a row whose removal failed. The next comparison retries. */
  failed: number
  /** Files whose bytes should be stored but are missing. */
  missing: number
}

/**
 * Compares each store's listing with the keys in the database. Both are read in key order and in
 * pages, so memory use is constant.
 *
 * - An object is removed once it is 24 h old, if no upload and no file with bytes references it.
 *   The server inserts an upload's row before any byte can be stored under its key, and never
 *   reuses a key, so an object without a row never gets one later. This also removes bytes that
 *   reappeared after their removal, for instance from a backup, once the removal is 24 h old.
 * - A file without its object is logged as an error, because accepted bytes are lost.
 */
export async function compareStorage(deps: CompareDeps): Promise<Comparison> {
  const totals: Comparison = { objects: 0, removed: 0, failed: 0, missing: 0 }
  for (const storage of deps.stores.all) await compareStore(deps, storage, totals)
  if (totals.missing > 0) {
    deps.log.error({ count: totals.missing }, 'bytes of files are missing in storage')
  }
  return totals
}

async function compareStore(
  { clock, db, log }: CompareDeps,
  storage: Storage,
  total: Comparison,
): Promise<void> {
  const createdBefore = new Date(clock().getTime() - orphanAgeMs)

  const removeOrphans = async (keys: string[]) => {
    const referencedKeys = await findReferencedKeys(db, storage.name, keys, createdBefore)
    for (const key of keys) {
      if (referencedKeys.has(key)) continue
      try {
        await storage.remove(key)
        total.removed += 1
      } catch (error) {
        total.failed += 1
        log.error({ err: error, key }, 'an orphaned object could not be removed')
      }
    }
  }
  const expectObject = async ({ key, fileId }: ReferencedKey) => {
    // An upload may have no bytes yet. A file isn't missing if it has been purged since its row was
    // read, or if it was not listed because it was just being sealed.
    if (fileId === null || (await storage.storedSize(key)) !== null) return
    if (!(await isFileStored(db, fileId))) return
    total.missing += 1
    if (total.missing > maxLoggedFiles) return
    log.error({ fileId, key, store: storage.name }, 'the bytes of a file are missing in storage')
  }

  const references = pageReferences(db, storage)
  let reference = await references.next()
  let lastKey = ''
  let unreferencedKeys: string[] = []
  for await (const { key, modifiedAt } of storage.list()) {
    if (key <= lastKey) throw new Error(`the store ${storage.name} lists ${key} after ${lastKey}`)
    lastKey = key
    total.objects += 1
    for (; !reference.done && reference.value.key < key; reference = await references.next()) {
      await expectObject(reference.value)
    }
    if (!reference.done && reference.value.key === key) reference = await references.next()
    else if (modifiedAt <= createdBefore) unreferencedKeys.push(key)
    if (unreferencedKeys.length < pageSize) continue
    await removeOrphans(unreferencedKeys)
    unreferencedKeys = []
  }
  for (; !reference.done; reference = await references.next()) await expectObject(reference.value)
  if (unreferencedKeys.length > 0) await removeOrphans(unreferencedKeys)
}

/** Yields every storage key that the database has for a store, in key order, reading in pages. */
async function* pageReferences(
  db: Deps['db'],
  storage: Storage,
): AsyncGenerator<ReferencedKey, undefined> {
  let lastKey = ''
  for (;;) {
    const page = await listReferencedKeys(db, storage.name, lastKey, pageSize)
    yield* page
    const lastReference = page.at(-1)
    if (lastReference === undefined || page.length < pageSize) return
    lastKey = lastReference.key
  }
}

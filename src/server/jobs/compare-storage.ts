import { dayInMs } from '../../shared/rules/format/units.ts'
import type { Deps } from '../deps.ts'
import type { Storage } from '../storage/storage.ts'
import { findNamedKeys, isKept, listNamedKeys, type NamedKey } from './queries.ts'

/** Objects without a row are removed at this age. */
const orphanAgeMs = dayInMs
const pageSize = 1000
/** Limits how many missing objects are logged individually. All are counted. */
const mostTold = 100

type CompareDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

/** The result of comparing storage with the database. */
export type Comparison = {
  /** Objects listed by storage. */
  objects: number
  /** Removed objects without a row. */
  removed: number
  /** Objects without a row whose removal failed. The next comparison retries. */
  failed: number
  /** Files whose bytes should be stored but are missing. */
  missing: number
}

/**
 * Compares the listing of each store with the keys in the database. Both are read in key order and
 * in pages, so memory use is constant.
 *
 * - An object is removed at an age of 24 h if no upload and no file with bytes references it. The
 *   server inserts an upload's row before any byte can be stored under its key, and never reuses a
 *   key, so an object without a row will never get one. This also removes bytes that reappeared
 *   after their removal, for instance from a backup, once the removal is 24 h old.
 * - A file without its object is logged as an error, because accepted bytes are lost.
 */
export async function compareStorage(deps: CompareDeps): Promise<Comparison> {
  const total: Comparison = { objects: 0, removed: 0, failed: 0, missing: 0 }
  for (const storage of deps.stores.all) await compareStore(deps, storage, total)
  if (total.missing > 0) {
    deps.log.error({ count: total.missing }, 'bytes of files are missing in storage')
  }
  return total
}

async function compareStore(
  { clock, db, log }: CompareDeps,
  storage: Storage,
  total: Comparison,
): Promise<void> {
  const before = new Date(clock().getTime() - orphanAgeMs)

  const removeOrphans = async (keys: string[]) => {
    const named = await findNamedKeys(db, storage.name, keys, before)
    for (const key of keys) {
      if (named.has(key)) continue
      try {
        await storage.remove(key)
        total.removed += 1
      } catch (error) {
        total.failed += 1
        log.error({ err: error, key }, 'an orphaned object could not be removed')
      }
    }
  }
  const expectObject = async ({ key, fileId }: NamedKey) => {
    // An upload may have no bytes yet. A file may have been purged since its row was read, or its
    // object was missing from the listing because it was being sealed.
    if (fileId === null || (await storage.storedSize(key)) !== null) return
    if (!(await isKept(db, fileId))) return
    total.missing += 1
    if (total.missing > mostTold) return
    log.error({ fileId, key, store: storage.name }, 'the bytes of a file are missing in storage')
  }

  const names = namedKeys(db, storage)
  let name = await names.next()
  let last = ''
  let unnamed: string[] = []
  for await (const { key, modifiedAt } of storage.list()) {
    if (key <= last) throw new Error(`the store ${storage.name} lists ${key} after ${last}`)
    last = key
    total.objects += 1
    for (; !name.done && name.value.key < key; name = await names.next()) {
      await expectObject(name.value)
    }
    if (!name.done && name.value.key === key) name = await names.next()
    else if (modifiedAt <= before) unnamed.push(key)
    if (unnamed.length < pageSize) continue
    await removeOrphans(unnamed)
    unnamed = []
  }
  for (; !name.done; name = await names.next()) await expectObject(name.value)
  if (unnamed.length > 0) await removeOrphans(unnamed)
}

/** Yields every storage key in the database for a store, in key order, reading in pages. */
async function* namedKeys(db: Deps['db'], storage: Storage): AsyncGenerator<NamedKey, undefined> {
  let last = ''
  for (;;) {
    const page = await listNamedKeys(db, storage.name, last, pageSize)
    yield* page
    const end = page.at(-1)
    if (end === undefined || page.length < pageSize) return
    last = end.key
  }
}

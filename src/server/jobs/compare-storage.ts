import { dayInMs } from '../../shared/rules/format/units.ts'
import type { Deps } from '../deps.ts'
import type { Storage } from '../storage/storage.ts'
import { findNamedKeys, isKept, listNamedKeys, type NamedKey } from './queries.ts'

/** An object that no row names is removed once it is 24 h old. */
const orphanAgeMs = dayInMs
const pageSize = 1000
/** At most this many missing objects are logged one by one. All are counted. */
const mostTold = 100

type CompareDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

/** What a comparison of storage with the database found and did. */
export type Comparison = {
  /** How many objects storage listed. */
  objects: number
  /** How many objects without a row were removed. */
  removed: number
  /** How many objects without a row could not be removed. The next comparison tries again. */
  failed: number
  /** How many files have no object, although their bytes should be stored. */
  missing: number
}

/**
 * Compares what storage itself lists with what the database names, for every store. Both are read
 * in the order of the keys and page by page. So the memory does not grow with their number.
 *
 * - An object that neither an upload nor a file with bytes names is removed when it is 24 h old.
 *   The server writes the row of an upload before any byte can be stored under its key, and uses no
 *   key twice. So an object without a row will never have one. This also removes bytes that came
 *   back after their removal, for instance with a backup, once the removal is 24 h ago.
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
    // An upload may have no bytes yet. A file may have been purged since its row was read. Or its
    // object was being sealed, and was therefore missing in the list.
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

/**
 * Yields every key that the database names in a store, in the order of the keys. It reads them page
 * by page.
 */
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

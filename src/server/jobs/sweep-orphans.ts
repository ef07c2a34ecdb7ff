import type { Deps } from '../deps.ts'
import type { Storage } from '../storage/storage.ts'
import { findNamedKeys } from '../uploads/queries.ts'

/** Design §4: objects that no row names are removed when they are 24 h old, and no others. */
const orphanAgeMs = 24 * 60 * 60 * 1000
const batchSize = 500

type SweepDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

/**
 * Removes stored objects that neither an upload nor a file names. The server writes the row of an
 * upload before any byte can be stored under its key, and uses no key twice. So an object without a
 * row will never have one.
 * @returns how many objects were removed.
 */
export async function sweepOrphans(deps: SweepDeps): Promise<number> {
  let removed = 0
  for (const storage of deps.stores.all) removed += await sweepStore(deps, storage)
  return removed
}

async function sweepStore({ clock, db, log }: SweepDeps, storage: Storage): Promise<number> {
  const before = clock().getTime() - orphanAgeMs
  let removed = 0
  const sweep = async (keys: string[]) => {
    const named = await findNamedKeys(db, keys)
    for (const key of keys) {
      if (named.has(key)) continue
      try {
        await storage.remove(key)
        removed += 1
      } catch (error) {
        log.error({ err: error, key }, 'an orphaned object could not be removed')
      }
    }
  }

  let batch: string[] = []
  for await (const object of storage.list()) {
    if (object.modifiedAt.getTime() > before) continue
    batch.push(object.key)
    if (batch.length === batchSize) {
      await sweep(batch)
      batch = []
    }
  }
  if (batch.length > 0) await sweep(batch)
  return removed
}

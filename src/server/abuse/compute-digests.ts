import type { Deps } from '../deps.ts'
import type { Storage } from '../storage/storage.ts'
import { proveContent, takeDownCopies } from './block-copies.ts'
import { listFilesToHash } from './queries.ts'

type DigestDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/** How many files one query lists. */
const pageSize = 100

/**
 * Computes missing SHA-256s one file at a time, takes down files with blocked content, and
 * completes interrupted takedowns. If no file of a page can be read, storage is probably
 * unreachable, so the remaining files in that store wait for the next run.
 * @returns how many files were read, how many couldn't be read, and how many were taken down. Files
 * without bytes count as neither read nor failed.
 */
export async function computeDigests(
  deps: DigestDeps,
): Promise<{ computed: number; failed: number; takenDown: number }> {
  const totals = { computed: 0, failed: 0, takenDown: 0 }
  for (const store of deps.stores.all) await computeInStore(deps, store, totals)
  return totals
}

async function computeInStore(
  deps: DigestDeps,
  store: Storage,
  totals: { computed: number; failed: number; takenDown: number },
): Promise<void> {
  for (let after: string | null = null; ; ) {
    const files = await listFilesToHash(deps.db, store.name, after, pageSize)
    const errors: unknown[] = []
    for (const file of files) {
      try {
        if ((await proveContent(deps, file)) !== null) totals.computed += 1
      } catch (error) {
        errors.push(error)
      }
    }
    totals.takenDown += await takeDownCopies(deps)
    totals.failed += errors.length
    if (errors.length > 0) {
      const details = { err: errors[0], count: errors.length }
      deps.log.error(details, 'could not read files for their SHA-256; trying again')
    }
    if (files.length < pageSize || errors.length === files.length) return
    after = files.at(-1)?.id ?? null
  }
}

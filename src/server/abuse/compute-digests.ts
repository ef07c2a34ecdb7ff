import type { Deps } from '../deps.ts'
import type { Storage } from '../storage/storage.ts'
import { assertThere, takeDownCopies } from './block-copies.ts'
import { type Digest, findBlocked, listWithoutSha256, noteDigests } from './queries.ts'

type DigestDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/** How many files are recorded by one statement at most, and after how many bytes it is sent. */
const batchSize = 100
const batchBytes = 256 * 1024 ** 2

/**
 * Computes the SHA-256 of files that were confirmed without it, one after the other, and takes down
 * those whose content is blocked. If no file of a batch can be read, storage probably cannot be
 * reached. Then the other files wait for the next run.
 * @returns how many files it has read, and how many could not be read and are tried again. Files
 * whose bytes are missing count as neither.
 */
export async function computeDigests(
  deps: DigestDeps,
): Promise<{ computed: number; failed: number }> {
  const total = { computed: 0, failed: 0 }
  for (const store of deps.stores.all) {
    let after: string | null = null
    for (;;) {
      const batch = await computeBatch(deps, store, after)
      if (!batch) break
      after = batch.lastId
      total.computed += batch.computed
      total.failed += batch.failed
      if (batch.failedAll) break
    }
  }
  return total
}

/** Returns null when no files are left after the id `after`. */
async function computeBatch(deps: DigestDeps, store: Storage, after: string | null) {
  const { db, log } = deps
  const files = await listWithoutSha256(db, store.name, after, batchSize)
  const digests: Digest[] = []
  const errors: unknown[] = []
  let lastId = after
  let bytes = 0
  for (const { id, storageKey, size } of files) {
    if (bytes >= batchBytes) break
    lastId = id
    bytes += size
    try {
      const sha256 = await store.sha256(storageKey)
      if (sha256 === null) await assertThere(store)
      digests.push({ id, sha256 })
    } catch (error) {
      errors.push(error)
    }
  }
  if (files.length === 0) return null
  if (errors.length > 0) {
    const told = { err: errors[0], count: errors.length }
    log.error(told, 'files could not be read for their SHA-256; it is tried again')
  }
  if (digests.length > 0) await noteDigests(db, digests)
  const found = digests.flatMap(({ sha256 }) => sha256 ?? [])
  // After the digests are recorded, so that no takedown in between misses these files.
  for (const sha256 of await findBlocked(db, found)) await takeDownCopies(deps, sha256)
  return {
    lastId,
    computed: found.length,
    failed: errors.length,
    failedAll: digests.length === 0,
  }
}

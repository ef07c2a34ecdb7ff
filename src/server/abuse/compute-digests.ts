import type { Deps } from '../deps.ts'
import type { Storage } from '../storage/storage.ts'
import { proveContent, takeDownCopies } from './block-copies.ts'
import { type Content, findBlocked, listWithoutSha256 } from './queries.ts'

type DigestDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/** How many files one query lists at most. */
const batchSize = 100

/**
 * Computes the SHA-256 of files that were confirmed before it was known (decision 063). It reads
 * one file after the other, and uses only what other work leaves of the processor. A file whose
 * content has been blocked meanwhile is taken down at once. If no file of a batch can be read,
 * storage probably cannot be reached. Then the other files wait for the next run.
 * @returns how many files it has read, and how many could not be read and are tried again. Files
 * whose bytes are not there count as read.
 */
export async function computeDigests(
  deps: DigestDeps,
): Promise<{ computed: number; failed: number }> {
  const total = { computed: 0, failed: 0 }
  for (const store of deps.stores.all) {
    if (!store.computesSha256) continue
    const { computed, failed } = await computeOfStore(deps, store)
    total.computed += computed
    total.failed += failed
  }
  return total
}

async function computeOfStore(
  deps: DigestDeps,
  { name }: Storage,
): Promise<{ computed: number; failed: number }> {
  const { db, log } = deps
  const faults: unknown[] = []
  let computed = 0
  let after: string | null = null
  for (;;) {
    const batch: Content[] = await listWithoutSha256(db, name, after, batchSize)
    const faultsBefore = faults.length
    for (const file of batch) {
      try {
        if (await computeDigest(deps, file)) computed += 1
      } catch (error) {
        faults.push(error)
      }
    }
    after = batch.at(-1)?.id ?? null
    const failedAll = faults.length - faultsBefore === batch.length
    if (batch.length < batchSize || failedAll) break
  }
  if (faults.length > 0) {
    const told = { err: faults[0], count: faults.length }
    log.error(told, 'files could not be read for their SHA-256; it is tried again')
  }
  return { computed, failed: faults.length }
}

/** Returns false if no bytes of the file are stored. */
async function computeDigest(deps: DigestDeps, file: Content): Promise<boolean> {
  const sha256 = await proveContent(deps, file, null, 'unhurried')
  if (sha256 === null) return false
  const blocked = await findBlocked(deps.db, [sha256])
  if (blocked.has(sha256)) await takeDownCopies(deps, sha256)
  return true
}

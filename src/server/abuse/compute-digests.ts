import type { Deps } from '../deps.ts'
import type { Storage } from '../storage/storage.ts'
import { assertMounted, proveContent, takeDownCopies } from './block-copies.ts'
import {
  type ContentRow,
  type Digest,
  findBlocked,
  listFilesToHash,
  saveDigests,
} from './queries.ts'

type DigestDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/**
 * A batch ends after this many files or about this many bytes. A single statement saves all of its
 * digests.
 */
const batchSize = 100
const batchBytes = 256 * 1024 ** 2

/**
 * Computes missing SHA-256s one file at a time, takes down files with blocked content, and
 * completes interrupted takedowns. If every read in a batch fails, storage is probably unreachable,
 * so the remaining files in that store wait for the next run.
 * @returns how many files were read, how many couldn't be read, and how many were taken down. Files
 * without bytes count as neither read nor failed.
 */
export async function computeDigests(
  deps: DigestDeps,
): Promise<{ computed: number; failed: number; takenDown: number }> {
  const totals = { computed: 0, failed: 0, takenDown: 0 }
  for (const store of deps.stores.all) {
    let lastId: string | null = null
    for (;;) {
      const batch = await computeBatch(deps, store, lastId)
      if (!batch) break
      lastId = batch.lastId
      totals.computed += batch.computed
      totals.failed += batch.failed
      totals.takenDown += batch.takenDown
      if (batch.failedAll) break
    }
  }
  totals.takenDown += await takeDownCopies(deps)
  return totals
}

/** Computes the digests of the next batch of files. Returns null if there are no more files. */
async function computeBatch(deps: DigestDeps, store: Storage, after: string | null) {
  const { db, log } = deps
  const files = await listFilesToHash(db, store.name, after, batchSize)
  if (files.length === 0) return null
  const digests: Digest[] = []
  const errors: unknown[] = []
  let lastId = after
  let bytes = 0
  for (const file of files) {
    if (bytes >= batchBytes) break
    lastId = file.id
    bytes += file.size
    try {
      digests.push({ id: file.id, ...(await hash(deps, store, file)) })
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) {
    const details = { err: errors[0], count: errors.length }
    log.error(details, 'could not read files for their SHA-256; trying again')
  }
  if (digests.length > 0) await saveDigests(db, digests)
  const sha256s = digests.flatMap(({ sha256 }) => sha256 ?? [])
  let takenDown = 0
  // Must run after the digests are saved. Otherwise, a concurrent takedown could miss these files.
  for (const sha256 of await findBlocked(db, sha256s))
    takenDown += await takeDownCopies(deps, sha256)
  return {
    lastId,
    computed: sha256s.length,
    failed: errors.length,
    takenDown,
    failedAll: digests.length === 0,
  }
}

async function hash(
  deps: DigestDeps,
  store: Storage,
  file: ContentRow,
): Promise<Omit<Digest, 'id'>> {
  // Nobody downloads a file that was taken down, so its CRC-32 isn't needed.
  if (file.takenDownAt !== null) return { sha256: await proveContent(deps, file), crc32: null }
  const digest = await store.digest(file.storageKey)
  if (digest === null) await assertMounted(store)
  return digest ?? { sha256: null, crc32: null }
}

import { type Actor, type AuditEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { markPurged, takeDownBlocked } from '../files/queries.ts'
import { removeStored } from '../storage/remove-stored.ts'
import type { Storage } from '../storage/storage.ts'
import { blockContent, type Content, listUnproved, lockContent, noteProved } from './queries.ts'
import { closeReportsOf } from './report-queries.ts'

/** Why content is blocked, and who has just ordered it. */
export interface BlockOrder {
  reason: string
  actor: Actor
}

type BlockDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/** How many files one query lists, and how many one transaction takes down, at most. */
const batchSize = 100
/**
 * How long `findBlockedContent` reads files before it takes down those that have blocked content.
 * Files that are taken down together are told to their owner in one email.
 */
const takeDownEveryMs = 10_000

/**
 * Reads the stored bytes of a file and records their SHA-256. If the file was taken down, it also
 * blocks the content for the reason of that takedown. Otherwise it blocks the content only if there
 * is an `order`. The audit log records that the content is blocked now: as an act of the one who
 * ordered it, or of the server if a takedown is only completed here. Returns the SHA-256, or null
 * when no bytes are stored.
 * @throws {AppError} UNAVAILABLE when storage cannot be read, or is not there.
 */
export async function proveContent(
  { clock, db, stores }: BlockDeps,
  { id, storage, storageKey }: Content,
  order: BlockOrder | null = null,
): Promise<string | null> {
  const store = stores.of(storage)
  const sha256 = await store.sha256(storageKey)
  if (sha256 === null) await assertThere(store)
  await db.transaction(async (tx) => {
    const file = await lockContent(tx, id)
    // If an earlier look found no bytes, the storage folder may have been away. So this result
    // counts.
    if (!file || (file.isContentProved && file.sha256 !== null)) return
    await noteProved(tx, id, sha256)
    const reason = file.takedownReason ?? order?.reason
    if (sha256 === null || reason === undefined) return
    const now = clock()
    if (!(await blockContent(tx, { sha256, size: file.size, reason, blockedAt: now }))) return
    const { ownerId: subject, shortCode } = file
    const { id: by = null, ipAddress = null } = order?.actor ?? {}
    const details = { shortCode, fileId: id, sha256, reason }
    await writeAudit(tx, [
      { at: now, actor: by, action: 'block-content', subject, ipAddress, details },
    ])
  })
  return sha256
}

/**
 * Checks that a store is there, when an object was not found in it. A disk that is not mounted
 * looks like an empty folder, which belongs to no installation.
 * @throws {AppError} UNAVAILABLE when it is not there.
 */
export async function assertThere(store: Storage): Promise<void> {
  if ((await store.installation()) === null) throw new AppError('UNAVAILABLE')
}

/**
 * Takes down all files whose content is blocked, and removes their bytes. With `sha256`, it takes
 * down only the files with this content. It writes a line to the audit log for each file, and asks
 * for an email to each owner.
 * @returns how many files were taken down.
 */
export async function takeDownCopies(deps: BlockDeps, sha256?: string): Promise<number> {
  let total = 0
  for (;;) {
    const count = await takeDownBatch(deps, sha256)
    total += count
    if (count < batchSize) return total
  }
}

async function takeDownBatch(deps: BlockDeps, sha256: string | undefined): Promise<number> {
  const { clock, db, mailQueue } = deps
  const taken = await db.transaction(async (tx) => {
    const now = clock()
    const taken = await takeDownBlocked(tx, { sha256, limit: batchSize, now })
    const ids = taken.map(({ id }) => id)
    if (ids.length === 0) return taken
    await closeReportsOf(tx, ids, 'taken-down', now)
    const lines = taken.map(
      ({ id, ownerId, shortCode, sha256, takedownReason: reason }): AuditEntry => ({
        at: now,
        actor: null,
        action: 'take-down',
        subject: ownerId,
        ipAddress: null,
        details: { shortCode, fileId: id, sha256, reason, isCopy: true },
      }),
    )
    await writeAudit(tx, lines)
    const mails = Map.groupBy(
      taken,
      ({ ownerId, takedownReason }) => `${ownerId} ${takedownReason}`,
    )
    for (const [first, ...others] of mails.values()) {
      if (!first) continue
      await mailQueue.add(
        {
          kind: 'takedown',
          userId: first.ownerId,
          fileIds: [first, ...others].map(({ id }) => id),
          reason: first.takedownReason ?? '',
          takenDownAt: now.toISOString(),
        },
        tx,
      )
    }
    return taken
  })
  // The SHA-256 of these files is known, so nobody needs their bytes any more.
  await removeStored(deps, taken, (ids) => markPurged(db, ids, clock()))
  return taken.length
}

/**
 * Finds blocked content among the files, and completes takedowns that were interrupted. First it
 * reads the files that may hold blocked content and whose SHA-256 is not known yet. Every 10
 * seconds, and at the end, it takes down every file whose content is blocked. If it can read no
 * file of a batch, storage probably cannot be reached. Then the other files wait for the next run.
 * @returns how many files were read, how many could not be read and are tried again, and how many
 * were taken down.
 */
export async function findBlockedContent(
  deps: BlockDeps,
): Promise<{ read: number; failed: number; takenDown: number }> {
  const { clock, log } = deps
  const total = { read: 0, failed: 0, takenDown: 0 }
  let tookDownAt = clock().getTime()
  let after: string | null = null
  for (;;) {
    const batch: Content[] = await listUnproved(deps.db, after, batchSize)
    const faults: unknown[] = []
    for (const file of batch) {
      await proveContent(deps, file).catch((error: unknown) => faults.push(error))
      if (clock().getTime() - tookDownAt < takeDownEveryMs) continue
      total.takenDown += await takeDownCopies(deps)
      tookDownAt = clock().getTime()
    }
    if (faults.length > 0) {
      const told = { err: faults[0], count: faults.length }
      log.error(told, 'content that may be blocked could not be read; it is tried again')
    }
    total.read += batch.length - faults.length
    total.failed += faults.length
    after = batch.at(-1)?.id ?? null
    if (batch.length < batchSize || faults.length === batch.length) break
  }
  total.takenDown += await takeDownCopies(deps)
  return total
}

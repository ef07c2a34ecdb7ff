import { type Actor, type AuditEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { markPurged, takeDownBlocked } from '../files/queries.ts'
import { removeStored } from '../storage/remove-stored.ts'
import { blockContent, type ContentRow, lockContent, saveDigest } from './queries.ts'
import { closeReportsOfFiles } from './report-queries.ts'

/** Why content is blocked, and who requested it. */
export interface BlockRequest {
  reason: string
  actor: Actor
}

type BlockDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/** Maximum number of files that one transaction takes down. */
const batchSize = 100

/**
 * Computes the SHA-256 of a file's stored bytes and saves it, or saves null if the bytes are gone.
 * Also blocks the content if the file was already taken down or `request` is given.
 * @throws {AppError} UNAVAILABLE if storage can't be read.
 */
export async function proveContent(
  { clock, db, stores }: BlockDeps,
  { id, storage, storageKey }: ContentRow,
  request: BlockRequest | null = null,
): Promise<string | null> {
  const store = stores.get(storage)
  const { sha256 = null, crc32 = null } = (await store.digest(storageKey)) ?? {}
  // An unmounted disk leaves an empty folder without an installation id.
  if (sha256 === null && (await store.installation()) === null) throw new AppError('UNAVAILABLE')
  await db.transaction(async (tx) => {
    const file = await lockContent(tx, id)
    // A saved null isn't final, because the storage folder may not have been mounted at the time.
    if (!file || (file.isContentProved && file.sha256 !== null)) return
    await saveDigest(tx, { id, sha256, crc32 })
    const reason = file.takedownReason ?? request?.reason
    if (sha256 === null || reason === undefined) return
    const now = clock()
    if (!(await blockContent(tx, { sha256, size: file.size, reason, blockedAt: now }))) return
    const { ownerId: subject, shortCode } = file
    const { id: actorId = null, ipAddress = null } = request?.actor ?? {}
    const details = { shortCode, fileId: id, sha256, reason }
    await writeAudit(tx, [
      { at: now, actor: actorId, action: 'block-content', subject, ipAddress, details },
    ])
  })
  return sha256
}

/**
 * Takes down all files with blocked content, or only those with this `sha256`, and deletes their
 * bytes. Writes an audit log entry for each file and emails the owners.
 * @returns the number of files taken down.
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
  const takenDown = await db.transaction(async (tx) => {
    const now = clock()
    const takenDownFiles = await takeDownBlocked(tx, { sha256, limit: batchSize, now })
    const ids = takenDownFiles.map(({ id }) => id)
    if (ids.length === 0) return takenDownFiles
    await closeReportsOfFiles(tx, ids, 'taken-down', now)
    const auditEntries = takenDownFiles.map(
      ({ id, ownerId, shortCode, sha256, takedownReason: reason }): AuditEntry => ({
        at: now,
        actor: null,
        action: 'take-down',
        subject: ownerId,
        ipAddress: null,
        details: { shortCode, fileId: id, sha256, reason, isCopy: true },
      }),
    )
    await writeAudit(tx, auditEntries)
    for (const [userId, ownFiles] of Map.groupBy(takenDownFiles, ({ ownerId }) => ownerId)) {
      for (const [reason, files] of Map.groupBy(ownFiles, (file) => file.takedownReason ?? '')) {
        const fileIds = files.map(({ id }) => id)
        const email = { userId, fileIds, reason, takenDownAt: now.toISOString() }
        await mailQueue.add({ kind: 'takedown', ...email }, tx)
      }
    }
    return takenDownFiles
  })
  await removeStored(deps, takenDown, (ids) => markPurged(db, ids, clock()))
  return takenDown.length
}

import { eq } from 'drizzle-orm'
import { deleteClosedReports } from '../abuse/report-queries.ts'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import { lockAddress } from '../auth/queries.ts'
import { removePendingSignups } from '../auth/signup-queries.ts'
import { uploads } from '../db/schema.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { findUser, type UserRow } from '../tiers/queries.ts'
import { retryRemovals } from '../uploads/end-uploads.ts'
import { endUploadsWhere } from '../uploads/removal-queries.ts'
import {
  clearReceiptNames,
  lockForDeletion,
  releaseFiles,
  removeUser,
} from './delete-user-queries.ts'

/** Small enough to keep each statement far below its time limit. */
const batchSize = 1000

/**
 * Maximum number of objects removed before the response is sent. The `sweep-uploads` job removes
 * the rest.
 */
const maxRemovedAtOnce = 1000

export type DeletionDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/**
 * Deletes a user and all of the user's data in one transaction (spec §7). Then removes the bytes of
 * files and uploads and writes the receipts. The user is notified by email. If other emails to the
 * user are still queued, they are dropped when they come due, because the account no longer exists.
 *
 * To prevent deadlocks, locks the email address first, then the user's row, then the user's other
 * rows. All code that locks these uses the same order.
 * @param actor the administrator or the user.
 * @param check throws if the user must not be deleted. Runs while the user is locked.
 * @returns the user's email address, and the number of files that the user could see.
 * @throws {AppError} USER_NOT_FOUND, or UNAUTHORIZED if the actor is the user; ADMIN_STAYS.
 */
export async function deleteUser(
  deps: DeletionDeps,
  userId: string,
  actor: Actor,
  check: (tx: Db, user: UserRow) => Promise<void> | void,
): Promise<{ email: string; deletedFiles: number }> {
  const { clock, db, log, mailQueue } = deps
  const isByOwner = actor.id === userId
  const missingUserCode = isByOwner ? 'UNAUTHORIZED' : 'USER_NOT_FOUND'
  const userBeforeLock = await findUser(db, userId)
  if (!userBeforeLock) throw new AppError(missingUserCode)
  const deletionResult = await db.transaction(async (tx) => {
    await lockAddress(tx, userBeforeLock.email)
    const user = await lockForDeletion(tx, userId)
    if (!user) throw new AppError(missingUserCode)
    if (user.role === 'admin') throw new AppError('ADMIN_STAYS')
    await check(tx, user)

    const now = clock()
    await removePendingSignups(tx, user.email)
    const endedUploads = await endUploadsWhere(tx, eq(uploads.ownerId, userId), now, 'job')
    const deletedFileCount = await releaseAllFiles(tx, userId, now)
    await clearReceiptNames(tx, userId)
    await deleteClosedReports(tx, userId)
    await removeUser(tx, userId)
    // Once the user is deleted, this audit log entry is the only record of the email address.
    const details = {
      email: user.email,
      deletedFiles: deletedFileCount,
      endedUploads: endedUploads.length,
    }
    const entry = { action: 'delete-user', subject: userId, details } as const
    await writeAudit(tx, [adminEntry(actor, now, entry)])
    const { email, emailVerified: isVerified } = user
    const deletion = { deletedAt: now.toISOString(), deletedFiles: deletedFileCount }
    await mailQueue.add({ kind: 'account-deleted', email, isVerified, isByOwner, ...deletion }, tx)
    return { email, deletedFiles: deletedFileCount }
  })
  try {
    await retryRemovals(deps, maxRemovedAtOnce)
  } catch (error) {
    // The user is already deleted, so the request succeeds. A job retries the removal of the bytes.
    log.warn({ err: error, userId }, 'could not remove the bytes of a deleted user yet')
  }
  return deletionResult
}

async function releaseAllFiles(tx: Db, ownerId: string, now: Date): Promise<number> {
  let visibleCount = 0
  for (;;) {
    const batch = await releaseFiles(tx, { ownerId, limit: batchSize, now })
    visibleCount += batch.visibleCount
    if (batch.count < batchSize) return visibleCount
  }
}

import { eq } from 'drizzle-orm'
import { removeHandledReportsOf } from '../abuse/report-queries.ts'
import type { Actor } from '../audit/actor.ts'
import { writeAudit } from '../audit/audit-log.ts'
import { lockAddress } from '../auth/queries.ts'
import { removePendingSignups } from '../auth/signup-queries.ts'
import { uploads } from '../db/schema.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { findUser } from '../tiers/queries.ts'
import { retryRemovals } from '../uploads/end-uploads.ts'
import { endUploadsWhere } from '../uploads/removal-queries.ts'
import {
  findSignupIds,
  forgetNames,
  lockForDeletion,
  releaseFiles,
  removeUser,
} from './delete-user-queries.ts'

/**
 * How many files one statement removes at most. With this number, a statement stays far below its
 * time limit.
 */
const batchSize = 1000

/**
 * At most this many objects are removed in each store before the call is answered. With more, the
 * answer could take too long where storage is slow.
 */
const mostRemovedAtOnce = 1000

/**
 * Deletes a user and everything that belongs to the user, in one transaction (spec §7). When this
 * resolves, the user's links and sessions have ended. Open uploads cannot be confirmed any more,
 * and waiting emails to the user are withdrawn. The transaction lists the bytes of files and
 * uploads in `removals`. Right after it, the bytes are removed and the receipts of the files are
 * written. If there are more than a thousand objects, or storage fails to remove some, the job
 * `sweep-uploads` removes the rest within minutes. If the transaction is interrupted, nothing has
 * changed.
 *
 * The transaction first locks the address and the row of the user, and then the rows that belong to
 * the user. All other code locks in the same order. So two transactions never wait for each other.
 * @param email what the administrator typed as the user's address, in lower case. With it, the user
 * is deleted only if this is the address. Without it, the id alone says who is deleted.
 * @returns the address, and how many files were in the user's list.
 * @throws {AppError} USER_NOT_FOUND; ADMIN_STAYS; INVALID_INPUT when `email` is not the user's.
 */
export async function deleteUser(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>,
  { userId, email }: { userId: string; email: string | undefined },
  actor: Actor,
): Promise<{ email: string; deletedFiles: number }> {
  const { clock, db, log, mailQueue } = deps
  const found = await findUser(db, userId)
  if (!found) throw new AppError('USER_NOT_FOUND')
  const deleted = await db.transaction(async (tx) => {
    await lockAddress(tx, found.email)
    const user = await lockForDeletion(tx, userId)
    if (!user) throw new AppError('USER_NOT_FOUND')
    if (user.role === 'admin') throw new AppError('ADMIN_STAYS')
    if (email !== undefined && email !== user.email) {
      const message = "email: This is not the user's address. Nothing was deleted."
      throw new AppError('INVALID_INPUT', { message })
    }

    const now = clock()
    const signupIds = await findSignupIds(tx, user.email)
    const emails = await mailQueue.withdraw({ userId, email: user.email, signupIds }, tx)
    await removePendingSignups(tx, user.email)
    const ended = await endUploadsWhere(tx, eq(uploads.ownerId, userId), now, 'job')
    const deletedFiles = await releaseAllFiles(tx, userId, now)
    await forgetNames(tx, userId)
    await removeHandledReportsOf(tx, userId)
    await removeUser(tx, userId)
    await writeAudit(tx, [
      {
        at: now,
        actor: actor.id,
        action: 'delete-user',
        subject: userId,
        ipAddress: actor.ipAddress,
        // The audit log needs the address, because the user's row is gone and no other row keeps
        // it.
        details: { email: user.email, deletedFiles, endedUploads: ended.length, emails },
      },
    ])
    return { email: user.email, deletedFiles }
  })
  try {
    await retryRemovals(deps, mostRemovedAtOnce)
  } catch (error) {
    // The user is deleted already, so this failure must not reach the client. The job
    // `sweep-uploads` removes the bytes.
    log.warn({ err: error, userId }, 'deleted user leaves bytes to the next try')
  }
  return deleted
}

async function releaseAllFiles(tx: Db, ownerId: string, now: Date): Promise<number> {
  let listed = 0
  let after: string | null = null
  for (;;) {
    const batch = await releaseFiles(tx, { ownerId, after, limit: batchSize, now })
    listed += batch.listed
    if (batch.count < batchSize) return listed
    after = batch.last
  }
}

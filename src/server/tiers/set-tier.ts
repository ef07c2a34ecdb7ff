import { changeTier, type TierRequest } from '../../shared/rules/tiers/tier-change.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import { lockUser, writeTierFacts } from './queries.ts'
import { queueTrialEmails } from './queue-trial-emails.ts'
import { tierEntry } from './tier-entry.ts'

/** Whose tier is to change, in which way, and who asked for it. */
export interface TierChange {
  userId: string
  request: TierRequest
  /** The id of the user who asked. */
  actor: string
  ipAddress: string
}

/**
 * Changes a user's tier as `changeTier` decides. A tier changes in no other way, except that a
 * trial ends at its date (see `expireTrials`). The change, its line in the audit log and the
 * emails of a new trial are one transaction. The user's row is locked. So each of several parallel
 * changes sees the result of the one before.
 * @returns the user after the change; null if the user does not exist (any more).
 * @throws {AppError} TRIAL_USED, ALREADY_PREMIUM.
 */
export function setTier(
  { clock, db, mailQueue }: Pick<Deps, 'clock' | 'db' | 'mailQueue'>,
  { userId, request, actor, ipAddress }: TierChange,
): Promise<SessionUser | null> {
  return db.transaction(async (tx) => {
    const before = await lockUser(tx, userId)
    if (!before) return null
    const now = clock()
    const verdict = changeTier(before, request, now)
    if (!verdict.ok) throw new AppError(verdict.code)
    const { facts } = verdict
    if (facts === before) return toSessionUser(before, now)

    const after = await writeTierFacts(tx, userId, facts, now)
    if (!after) return null
    const { reason } = request
    const told = { userId, reason, from: before, to: after, at: now, actor, ipAddress }
    await writeAudit(tx, [tierEntry(told)])
    if (reason === 'trial') await queueTrialEmails(mailQueue, after, tx)
    return toSessionUser(after, now)
  })
}

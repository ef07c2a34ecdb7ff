import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import {
  changeTier,
  type TierReason,
  type TierRequest,
} from '../../shared/rules/tiers/tier-change.ts'
import type { StoredTier } from '../../shared/rules/tiers/trial.ts'
import { type AuditEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { updatePurgeTimes } from '../files/purge-queries.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import { endTrials, lockUser, updateUserTier } from './queries.ts'
import { queueTrialEmails } from './trial-emails.ts'

const batchSize = 500

export interface TierChange {
  userId: string
  request: TierRequest
  /** The id of the user who requested the change. */
  actor: string
  ipAddress: string
}

/**
 * Changes a user's tier as `changeTier` decides. The same transaction locks the user, writes the
 * audit log entry and queues the emails about a new trial.
 * @returns the user after the change, or null if the user was deleted.
 * @throws {AppError} TRIAL_USED, ALREADY_PREMIUM.
 */
export function setTier(
  { clock, db, mailQueue }: Pick<Deps, 'clock' | 'db' | 'mailQueue'>,
  { userId, request, actor, ipAddress }: TierChange,
): Promise<SessionUser | null> {
  return db.transaction(async (tx) => {
    const userBefore = await lockUser(tx, userId)
    if (!userBefore) return null
    const now = clock()
    const result = changeTier(userBefore, request, now)
    if (!result.ok) throw new AppError(result.code)
    const { state } = result
    if (state === userBefore) return toSessionUser(userBefore, now)

    const userAfter = await updateUserTier(tx, userId, state, now)
    if (!userAfter) return null
    await updatePurgeTimes(tx, userId, now)
    const { reason } = request
    const tierChange = {
      userId,
      reason,
      from: userBefore,
      to: userAfter,
      at: now,
      actor,
      ipAddress,
    }
    await writeAudit(tx, [createTierEntry(tierChange)])
    if (reason === 'trial') await queueTrialEmails(mailQueue, userAfter, tx)
    return toSessionUser(userAfter, now)
  })
}

/**
 * Downgrades users whose trial has ended, in batches. This only updates their rows and the audit
 * log, because `effectiveTier` already ends trials on time. Safe to run on several servers at once.
 */
export async function expireTrials({
  clock,
  db,
}: Pick<Deps, 'clock' | 'db'>): Promise<{ expiredCount: number }> {
  let expiredCount = 0
  for (;;) {
    const endedCount = await db.transaction(async (tx) => {
      const now = clock()
      const users = await endTrials(tx, now, batchSize)
      const entries = users.map(({ id, premiumTrialEndsAt }) =>
        createTierEntry({
          userId: id,
          reason: 'trial',
          from: { tier: 'premium', premiumTrialEndsAt },
          to: { tier: 'free', premiumTrialEndsAt },
          at: now,
          actor: null,
          ipAddress: null,
        }),
      )
      await writeAudit(tx, entries)
      return users.length
    })
    expiredCount += endedCount
    if (endedCount < batchSize) return { expiredCount }
  }
}

type TierState = Pick<StoredTier, 'tier' | 'premiumTrialEndsAt'>

function createTierEntry(change: {
  userId: string
  reason: TierReason
  from: TierState
  to: TierState
  at: Date
  /**
   * The id of the user who requested the change. Null if the change is the scheduled end of a
   * trial.
   */
  actor: string | null
  ipAddress: string | null
}): AuditEntry {
  const { at, actor, ipAddress, reason } = change
  const details = { reason, from: summarize(change.from), to: summarize(change.to) }
  return { at, actor, action: 'set-tier', subject: change.userId, ipAddress, details }
}

function summarize({ tier, premiumTrialEndsAt }: TierState) {
  return { tier: tier ?? defaultTier, trialEndsAt: premiumTrialEndsAt?.toISOString() ?? null }
}

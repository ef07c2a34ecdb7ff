import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import {
  changeTier,
  type TierReason,
  type TierRequest,
} from '../../shared/rules/tiers/tier-change.ts'
import type { TierFacts } from '../../shared/rules/tiers/trial.ts'
import { type AuditEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { updatePurgeTimes } from '../files/purge-queries.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import { endTrials, lockUser, writeTierFacts } from './queries.ts'
import { queueTrialEmails } from './trial-emails.ts'

const trialsAtOnce = 500

/** A change of a user's tier, and who requested it. */
export interface TierChange {
  userId: string
  request: TierRequest
  /** The id of the user who requested it. */
  actor: string
  ipAddress: string
}

/**
 * Changes a user's tier as `changeTier` decides, with its entry in the audit log and the emails of
 * a new trial, in one transaction that locks the user.
 * @returns the user after the change; null if the user was deleted.
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
    await updatePurgeTimes(tx, userId, now)
    const { reason } = request
    const change = { userId, reason, from: before, to: after, at: now, actor, ipAddress }
    await writeAudit(tx, [tierEntry(change)])
    if (reason === 'trial') await queueTrialEmails(mailQueue, after, tx)
    return toSessionUser(after, now)
  })
}

/**
 * Sets users whose trial has ended to free, in batches. This only updates the rows and the audit
 * log: `effectiveTier` ends a trial at its date. Several servers share the work.
 */
export async function expireTrials({
  clock,
  db,
}: Pick<Deps, 'clock' | 'db'>): Promise<{ expiredCount: number }> {
  let expiredCount = 0
  for (;;) {
    const ended = await db.transaction(async (tx) => {
      const now = clock()
      const users = await endTrials(tx, now, trialsAtOnce)
      const entries = users.map(({ id, premiumTrialEndsAt }) =>
        tierEntry({
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
    expiredCount += ended
    if (ended < trialsAtOnce) return { expiredCount }
  }
}

type Standing = Pick<TierFacts, 'tier' | 'premiumTrialEndsAt'>

/** Returns the entry of the audit log about a change of a user's tier. */
function tierEntry(change: {
  userId: string
  reason: TierReason
  from: Standing
  to: Standing
  at: Date
  /** The id of the user who requested it; null for the end of a trial. */
  actor: string | null
  ipAddress: string | null
}): AuditEntry {
  const { at, actor, ipAddress, reason } = change
  const details = { reason, from: summarize(change.from), to: summarize(change.to) }
  return { at, actor, action: 'set-tier', subject: change.userId, ipAddress, details }
}

function summarize({ tier, premiumTrialEndsAt }: Standing) {
  return { tier: tier ?? defaultTier, trialEndsAt: premiumTrialEndsAt?.toISOString() ?? null }
}

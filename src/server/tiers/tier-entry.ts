import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import type { TierReason } from '../../shared/rules/tiers/tier-change.ts'
import type { TierFacts } from '../../shared/rules/tiers/trial.ts'
import type { AuditEntry } from '../audit/audit-log.ts'

type Standing = Pick<TierFacts, 'tier' | 'premiumTrialEndsAt'>

/**
 * Returns the line of the audit log about a change of a user's tier. It contains the reason, and
 * the tier and the end of the trial before and after.
 */
export function tierEntry(change: {
  userId: string
  reason: TierReason
  from: Standing
  to: Standing
  at: Date
  /** The id of the user who asked; null if the server made the change by itself. */
  actor: string | null
  ipAddress: string | null
}): AuditEntry {
  const { at, actor, ipAddress, reason } = change
  const details = { reason, from: told(change.from), to: told(change.to) }
  return { at, actor, action: 'set-tier', subject: change.userId, ipAddress, details }
}

function told({ tier, premiumTrialEndsAt }: Standing) {
  return { tier: tier ?? defaultTier, trialEndsAt: premiumTrialEndsAt?.toISOString() ?? null }
}

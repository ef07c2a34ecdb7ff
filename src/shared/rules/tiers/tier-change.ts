import type { Tier } from './tier.ts'
import { effectiveTier, type TierFacts, trialEnd } from './trial.ts'

/** Why a tier changes. `preview`: the user switched it, in place of a payment. */
export const tierReasons = ['trial', 'preview', 'administrator'] as const
export type TierReason = (typeof tierReasons)[number]

/** Switches to the other tier if `to` is undefined. */
export type TierRequest =
  | { reason: 'trial' }
  | { reason: Exclude<TierReason, 'trial'>; to?: Tier | undefined }

type TierVerdict =
  | { ok: true; facts: TierFacts }
  /** The error code to respond with. */
  | { ok: false; code: 'TRIAL_USED' | 'ALREADY_PREMIUM' }

/**
 * Applies a requested change to a user's tier. Returns the same facts if nothing changes.
 *
 * A user can start one trial, and only on the free tier (spec §4). Switching during the trial ends
 * it. The end date of an expired trial is kept until the user is premium again.
 * @throws {RangeError} for an unknown tier.
 */
export function changeTier(facts: TierFacts, request: TierRequest, now: Date): TierVerdict {
  const current = effectiveTier(facts, now)
  if (request.reason === 'trial') {
    if (facts.premiumTrialStartedAt !== null) return { ok: false, code: 'TRIAL_USED' }
    // Spec §4: offered only to free users.
    if (current !== 'free') return { ok: false, code: 'ALREADY_PREMIUM' }
    const trial = { premiumTrialStartedAt: now, premiumTrialEndsAt: trialEnd(now) }
    return { ok: true, facts: { tier: 'premium', ...trial } }
  }
  const { to = current === 'free' ? 'premium' : 'free' } = request
  const isByTrial = current !== 'free' && facts.premiumTrialEndsAt !== null
  if (to === current && !isByTrial) return { ok: true, facts }
  return { ok: true, facts: { ...facts, tier: to, premiumTrialEndsAt: null } }
}

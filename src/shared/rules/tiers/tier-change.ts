import type { Tier } from './tier.ts'
import { effectiveTier, type StoredTier, trialEnd } from './trial.ts'

/**
 * Why a tier changes. `preview`: the user switched tiers without paying, because this preview
 * version has no payments yet.
 */
export const tierReasons = ['trial', 'preview', 'administrator'] as const
export type TierReason = (typeof tierReasons)[number]

/** If `to` is omitted, the user switches to the other tier. */
export type TierRequest =
  | { reason: 'trial' }
  | { reason: Exclude<TierReason, 'trial'>; to?: Tier | undefined }

type TierChangeResult =
  | { ok: true; state: StoredTier }
  /** The error code for the response. */
  | { ok: false; code: 'TRIAL_USED' | 'ALREADY_PREMIUM' }

/**
 * Applies a requested change to a user's tier. If nothing changes, returns the same object.
 *
 * Each user can start one trial, and only on the free tier (spec §4). Switching tiers during the
 * trial ends it. The end date of an expired trial is kept until the user gets Premium again.
 * @throws {RangeError} for an unknown tier.
 */
export function changeTier(state: StoredTier, request: TierRequest, now: Date): TierChangeResult {
  const currentTier = effectiveTier(state, now)
  if (request.reason === 'trial') {
    if (state.premiumTrialStartedAt !== null) return { ok: false, code: 'TRIAL_USED' }
    // Spec §4: only free users can start a trial.
    if (currentTier !== 'free') return { ok: false, code: 'ALREADY_PREMIUM' }
    const trial = { premiumTrialStartedAt: now, premiumTrialEndsAt: trialEnd(now) }
    return { ok: true, state: { tier: 'premium', ...trial } }
  }
  const { to = currentTier === 'free' ? 'premium' : 'free' } = request
  const isOnTrial = currentTier !== 'free' && state.premiumTrialEndsAt !== null
  if (to === currentTier && !isOnTrial) return { ok: true, state }
  return { ok: true, state: { ...state, tier: to, premiumTrialEndsAt: null } }
}

import type { Tier } from './tier.ts'
import { effectiveTier, type TierFacts, trialEnd } from './trial.ts'

/**
 * Why a tier changes: its trial began or ended, the user switched it in this preview version (which
 * stands in for paying), or the administrator switched it.
 */
export const tierReasons = ['trial', 'preview', 'administrator'] as const
export type TierReason = (typeof tierReasons)[number]

/** A change of tier that somebody asks for. Without `to` it switches to the other tier. */
export type TierRequest =
  | { reason: 'trial' }
  | { reason: Exclude<TierReason, 'trial'>; to?: Tier | undefined }

type TierVerdict =
  | { ok: true; facts: TierFacts }
  /** The code of the error to answer with. */
  | { ok: false; code: 'TRIAL_USED' | 'ALREADY_PREMIUM' }

/**
 * Decides how a request at `now` changes a user's tier. If nothing changes, it returns the same
 * facts.
 *
 * A user can start one trial, and only while the tier is free (spec §4). A switch during the trial
 * ends the trial: to Premium without an end, or to free, where the rest of the trial is lost. The
 * end date of a trial that ran to its end is kept until its user is premium again.
 * @throws {RangeError} for a tier that this program does not know.
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

import type { Tier } from '../tiers/tier.ts'
import { tierTraits } from '../tiers/tier-traits.ts'
import { type LinkFacts, linkStatus } from './link-status.ts'

/** Error codes of `errorTable`. */
export type RenewalRefusal = 'TIER_RENEWAL' | 'FILE_GONE'

/**
 * Decides whether the link of a file can be renewed at the moment `now`. Returns the code of the
 * error if not. An active link can be renewed too. A private link can be renewed until the file's
 * longest life ends, up to the last millisecond.
 */
export function checkRenewal(
  facts: LinkFacts,
  ownerTier: Tier,
  now: Date,
): { ok: true } | { ok: false; code: RenewalRefusal } {
  // Spec §4: renewing is premium-only and disabled when deleted.
  if (!tierTraits[ownerTier].renewal) return { ok: false, code: 'TIER_RENEWAL' }
  if (linkStatus(facts, ownerTier, now) === 'deleted') return { ok: false, code: 'FILE_GONE' }
  return { ok: true }
}

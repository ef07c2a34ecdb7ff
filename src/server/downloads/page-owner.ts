import { tierTraits } from '../../shared/rules/tiers/tier-traits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { PageOwner } from './page-template.ts'
import type { Link } from './queries.ts'

/**
 * Returns what the pages of a link show of its owner at `now`: the brand, and whether a renewal is
 * possible. Both depend on the owner's tier at that moment. A tier without branding shows no brand.
 */
export function pageOwner(link: Link, now: Date): PageOwner {
  const { branding, renewal } = tierTraits[effectiveTier(link, now)]
  return { brand: branding ? link.brand : null, canRenew: renewal }
}

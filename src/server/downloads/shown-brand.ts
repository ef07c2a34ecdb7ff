import { tierLimits } from '../../shared/rules/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import type { BrandRow } from '../branding/queries.ts'
import type { Link } from './queries.ts'

/**
 * Returns the brand that a link's pages show at `now`. It is null without a brand, and while the
 * owner's tier has no branding: it goes with the tier at that moment, and comes back with it.
 */
export function shownBrand({ brand }: Pick<Link, 'brand'>, now: Date): BrandRow | null {
  return brand !== null && tierLimits[effectiveTier(brand, now)].branding ? brand : null
}

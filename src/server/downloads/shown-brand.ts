import { tierTraits } from '../../shared/rules/tier-traits.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import type { BrandRow } from '../branding/queries.ts'
import type { Link } from './queries.ts'

/**
 * Returns the brand that the pages of a link show at `now`. Returns null if the owner has no brand,
 * or the owner's tier at `now` has no custom branding.
 */
export function shownBrand({ brand }: Pick<Link, 'brand'>, now: Date): BrandRow | null {
  return brand !== null && tierTraits[effectiveTier(brand, now)].branding ? brand : null
}

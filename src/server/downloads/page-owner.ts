import { tierTraits } from '../../shared/rules/tier-traits.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import type { PageOwner } from './page-template.ts'
import type { Link } from './queries.ts'

/**
 * Returns what the pages of a link show of its owner at `now`. Both depend on the owner's tier at
 * that moment: a brand that the tier does not include is not shown.
 */
export function pageOwner(link: Link, now: Date): PageOwner {
  const { branding, renewal } = tierTraits[effectiveTier(link, now)]
  return { brand: branding ? link.brand : null, canRenew: renewal }
}

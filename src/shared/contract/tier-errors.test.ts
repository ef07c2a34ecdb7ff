import { expect, it } from 'vitest'
import { tiers } from '../rules/tier.ts'
import { tierLimits, upgradeOf } from '../rules/tier-limits.ts'
import { errorTable } from './errors.ts'
import { type TierErrorCode, tierErrorText } from './tier-errors.ts'

const free: Record<TierErrorCode, string> = {
  TIER_FILE_COUNT: 'The free tier holds 3 files at most. Upgrade to Premium for unlimited uploads.',
  TIER_EXPIRATION: 'The free tier keeps files for 3 days. Upgrade to Premium for 3, 5 or 7 days.',
  TIER_FILE_SIZE: 'The free tier takes files up to 500MB. Upgrade to Premium for files up to 1GB.',
  TIER_RENEWAL: 'The free tier cannot renew links. Upgrade to Premium for new links.',
  TIER_FILE_MANAGER: 'The free tier has no File Manager. Upgrade to Premium for the File Manager.',
  TIER_BRANDING: 'The free tier has no branding. Upgrade to Premium for custom branding.',
  TIER_ANALYTICS: 'The free tier has no analytics. Upgrade to Premium for advanced analytics.',
}
const codes = Object.keys(free) as TierErrorCode[]

it.each(codes)('%s tells a free user the limit and what Premium brings', (code) => {
  expect(tierErrorText('free', code)).toBe(free[code])
  expect(errorTable[code].message).toBe(free[code])
})

it.each(tiers)('a user of %s reads about that tier, and only about the one above', (tier) => {
  const above = upgradeOf(tier)
  for (const code of codes) {
    const text = tierErrorText(tier, code)
    expect(text).toMatch(`The ${tierLimits[tier].name.toLowerCase()} tier `)
    // Spec §8: an error with 'tier' or 'Upgrade' in it is shown inline.
    expect(/Upgrade to (\w+)/.exec(text)?.[1]).toBe(above?.name)
  }
})

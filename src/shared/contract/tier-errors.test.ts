import { describe, expect, it } from 'vitest'
import { findUpgrade, type Tier, tiers, tierTraits } from '../rules/tiers/tier.ts'
import { defaultLimits, type Limits } from '../rules/tiers/tier-limits.ts'
import { errorTable } from './errors.ts'
import {
  isTierLimitCode,
  limitErrorText,
  type TierFeatureCode,
  type TierLimitCode,
  tierErrorText,
  unknownDaysText,
} from './tier-errors.ts'

const limitTexts: Record<TierLimitCode, string> = {
  TIER_FILE_COUNT:
    'The free tier holds 3 files at most: delete files to make room. Upgrade to Premium for unlimited uploads.',
  TIER_EXPIRATION: 'The free tier keeps files for 3 days. Upgrade to Premium for 3, 5 or 7 days.',
  TIER_FILE_SIZE: 'The free tier takes files up to 500MB. Upgrade to Premium for files up to 1GB.',
}
const featureTexts: Record<TierFeatureCode, string> = {
  TIER_RENEWAL: 'The free tier cannot renew links. Upgrade to Premium for new links.',
  TIER_FILE_MANAGER: 'The free tier has no File Manager. Upgrade to Premium for the File Manager.',
  TIER_BRANDING: 'The free tier has no branding. Upgrade to Premium for custom branding.',
  TIER_ANALYTICS: 'The free tier has no analytics. Upgrade to Premium for advanced analytics.',
  TIER_SEND_BY_EMAIL:
    'The free tier cannot send links by email. Upgrade to Premium for links by email.',
  TIER_REQUESTS: 'The free tier cannot request files. Upgrade to Premium for requests.',
  TIER_REQUEST_COUNT:
    'The free tier has one open request at a time: close it first. Upgrade to Premium for any number of requests.',
}

function errorText(tier: Tier, code: TierLimitCode | TierFeatureCode, limits = defaultLimits) {
  return isTierLimitCode(code) ? limitErrorText(tier, code, limits) : tierErrorText(tier, code)
}
const texts = { ...limitTexts, ...featureTexts }
const codes = Object.keys(texts) as (keyof typeof texts)[]

it.each(codes)('%s states the limit of the free tier and what Premium offers', (code) => {
  expect(errorText('free', code)).toBe(texts[code])
  expect(errorTable[code].message).toBe(texts[code])
})

it.each(tiers)('messages for %s name that tier and offer only the next one', (tier) => {
  const upgrade = findUpgrade(tier)
  for (const code of codes) {
    const text = errorText(tier, code)
    // Spec §5: upload errors with 'tier' or 'Upgrade' in them are shown beside the drop zone.
    expect(text).toMatch(`The ${tierTraits[tier].name.toLowerCase()} tier `)
    // The highest tier has no tier to upgrade to, so its message must not suggest one.
    expect(/Upgrade to (\w+)/.exec(text)?.[1]).toBe(upgrade?.name)
  }
})

describe('with limits changed by the administrator', () => {
  const customLimits: Limits = {
    free: { maxFiles: 1, maxFileSize: 1024 ** 2, expirationDays: [1], maxLifetimeDays: 2 },
    premium: {
      maxFiles: 20,
      maxFileSize: 1024 ** 3 * 5,
      expirationDays: [1, 9],
      maxLifetimeDays: 9,
    },
  }

  it.each<[Tier, TierLimitCode, string]>([
    [
      'free',
      'TIER_FILE_COUNT',
      'The free tier holds 1 file at most: delete files to make room. Upgrade to Premium for 20 files.',
    ],
    [
      'free',
      'TIER_EXPIRATION',
      'The free tier keeps files for 1 day. Upgrade to Premium for 1 or 9 days.',
    ],
    [
      'free',
      'TIER_FILE_SIZE',
      'The free tier takes files up to 1MB. Upgrade to Premium for files up to 5GB.',
    ],
    [
      'premium',
      'TIER_FILE_COUNT',
      'The premium tier holds 20 files at most: delete files to make room.',
    ],
  ])('on the %s tier, the text for %s is: %s', (tier, code, text) => {
    expect(limitErrorText(tier, code, customLimits)).toBe(text)
  })

  it('an upgrade is offered only if it raises the limit', () => {
    const equalLimits = { free: customLimits.premium, premium: customLimits.premium }
    expect(limitErrorText('free', 'TIER_FILE_COUNT', equalLimits)).toBe(
      'The free tier holds 20 files at most: delete files to make room.',
    )
    expect(limitErrorText('free', 'TIER_FILE_SIZE', equalLimits)).toBe(
      'The free tier takes files up to 5GB.',
    )
    expect(limitErrorText('free', 'TIER_EXPIRATION', equalLimits)).toBe(
      'The free tier keeps files for 1 or 9 days.',
    )
  })

  it('the error for unknown days lists the days of all tiers', () => {
    expect(unknownDaysText(customLimits)).toBe('expirationDays: Must be 1 or 9 days.')
    expect(unknownDaysText(defaultLimits)).toBe('expirationDays: Must be 3, 5 or 7 days.')
  })
})

import { formatSizeLimit } from '../rules/format/file-size.ts'
import { type Tier, tierTraits } from '../rules/tiers/tier.ts'
import {
  daysText,
  filesText,
  type Limits,
  offeredDays,
  type TierLimits,
} from '../rules/tiers/tier-limits.ts'

const featureTexts = {
  TIER_RENEWAL: { limitation: 'cannot renew links', benefit: 'new links' },
  TIER_FILE_MANAGER: { limitation: 'has no File Manager', benefit: 'the File Manager' },
  TIER_BRANDING: { limitation: 'has no branding', benefit: 'custom branding' },
  TIER_SEND_BY_EMAIL: { limitation: 'cannot send links by email', benefit: 'links by email' },
  TIER_ANALYTICS: { limitation: 'has no analytics', benefit: 'advanced analytics' },
  TIER_REQUESTS: { limitation: 'cannot request files', benefit: 'requests' },
  TIER_REQUEST_COUNT: {
    limitation: 'has one open request at a time: close it first',
    benefit: 'any number of requests',
  },
}

interface LimitText {
  /** Completes the sentence that starts with 'The free tier'. */
  limit: (limits: TierLimits) => string
  /** Completes the sentence that starts with 'Upgrade to Premium for'. */
  benefit: (limits: TierLimits) => string
  /** True if the next tier allows more. */
  raisesLimit: (limits: TierLimits, upgraded: TierLimits) => boolean
}

const limitTexts = {
  TIER_FILE_COUNT: {
    limit: ({ maxFiles }) => `holds ${filesText(maxFiles)} at most: delete files to make room`,
    benefit: ({ maxFiles }) => (maxFiles === null ? 'unlimited uploads' : filesText(maxFiles)),
    raisesLimit: ({ maxFiles }, upgraded) =>
      (upgraded.maxFiles ?? Number.POSITIVE_INFINITY) > (maxFiles ?? Number.POSITIVE_INFINITY),
  },
  TIER_EXPIRATION: {
    limit: ({ expirationDays }) => `keeps files for ${daysText(...expirationDays)}`,
    benefit: ({ expirationDays }) => daysText(...expirationDays),
    raisesLimit: ({ expirationDays }, upgraded) =>
      upgraded.expirationDays.some((days) => !expirationDays.includes(days)),
  },
  TIER_FILE_SIZE: {
    limit: ({ maxFileSize }) => `takes files up to ${formatSizeLimit(maxFileSize)}`,
    benefit: ({ maxFileSize }) => `files up to ${formatSizeLimit(maxFileSize)}`,
    raisesLimit: ({ maxFileSize }, upgraded) => upgraded.maxFileSize > maxFileSize,
  },
} satisfies Record<string, LimitText>

/** Error codes for features that a tier doesn't include. */
export type TierFeatureCode = keyof typeof featureTexts
/** Error codes for limits that the user has reached. */
export type TierLimitCode = keyof typeof limitTexts

export function isTierLimitCode(code: string): code is TierLimitCode {
  return Object.hasOwn(limitTexts, code)
}

function formatTierError(tier: Tier, limit: string, benefit: string | null): string {
  const { name, upgradesTo } = tierTraits[tier]
  const limitSentence = `The ${name.toLowerCase()} tier ${limit}.`
  if (upgradesTo === null || benefit === null) return limitSentence
  return `${limitSentence} Upgrade to ${tierTraits[upgradesTo].name} for ${benefit}.`
}

/**
 * Returns the error message for a feature that the tier doesn't include. The message names the tier
 * to upgrade to.
 */
export function tierErrorText(tier: Tier, code: TierFeatureCode): string {
  const { limitation, benefit } = featureTexts[code]
  return formatTierError(tier, limitation, benefit)
}

/**
 * Returns the error message for a limit. The message states the current limit and, if upgrading
 * would raise it, suggests the upgrade.
 */
export function limitErrorText(tier: Tier, code: TierLimitCode, limits: Limits): string {
  const { upgradesTo } = tierTraits[tier]
  const tierLimits = limits[tier]
  const upgraded = upgradesTo && limits[upgradesTo]
  const text: LimitText = limitTexts[code]
  const benefit = upgraded && text.raisesLimit(tierLimits, upgraded) ? text.benefit(upgraded) : null
  return formatTierError(tier, text.limit(tierLimits), benefit)
}

/** Returns the error message for a number of days that no tier offers. */
export function unknownDaysText(limits: Limits): string {
  return `expirationDays: Must be ${daysText(...offeredDays(limits))}.`
}

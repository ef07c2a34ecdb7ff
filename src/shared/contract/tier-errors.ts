import { formatSizeLimit } from '../rules/format/file-size.ts'
import { type Tier, tierTraits } from '../rules/tiers/tier.ts'
import {
  daysOffered,
  daysText,
  filesText,
  type Limits,
  type TierLimits,
} from '../rules/tiers/tier-limits.ts'

const featureTexts = {
  TIER_RENEWAL: { lack: 'cannot renew links', gain: 'new links' },
  TIER_FILE_MANAGER: { lack: 'has no File Manager', gain: 'the File Manager' },
  TIER_BRANDING: { lack: 'has no branding', gain: 'custom branding' },
  TIER_ANALYTICS: { lack: 'has no analytics', gain: 'advanced analytics' },
}

interface LimitText {
  /** Follows 'The free tier'. */
  limit: (limits: TierLimits) => string
  /** Follows 'Upgrade to Premium for'. */
  upgrade: (limits: TierLimits) => string
  /** True if the next tier allows more. */
  helps: (limits: TierLimits, above: TierLimits) => boolean
}

const limitTexts = {
  TIER_FILE_COUNT: {
    limit: ({ maxFiles }) => `holds ${filesText(maxFiles)} at most: delete files to make room`,
    upgrade: ({ maxFiles }) => (maxFiles === null ? 'unlimited uploads' : filesText(maxFiles)),
    helps: ({ maxFiles }, above) =>
      (above.maxFiles ?? Number.POSITIVE_INFINITY) > (maxFiles ?? Number.POSITIVE_INFINITY),
  },
  TIER_EXPIRATION: {
    limit: ({ expirationDays }) => `keeps files for ${daysText(...expirationDays)}`,
    upgrade: ({ expirationDays }) => daysText(...expirationDays),
    helps: ({ expirationDays }, above) =>
      above.expirationDays.some((days) => !expirationDays.includes(days)),
  },
  TIER_FILE_SIZE: {
    limit: ({ maxFileSize }) => `takes files up to ${formatSizeLimit(maxFileSize)}`,
    upgrade: ({ maxFileSize }) => `files up to ${formatSizeLimit(maxFileSize)}`,
    helps: ({ maxFileSize }, above) => above.maxFileSize > maxFileSize,
  },
} satisfies Record<string, LimitText>

/** Error codes for features that a tier lacks. */
export type TierFeatureCode = keyof typeof featureTexts
/** Error codes for limits that the user has reached. */
export type TierLimitCode = keyof typeof limitTexts

export function isTierLimitCode(code: string): code is TierLimitCode {
  return Object.hasOwn(limitTexts, code)
}

function sentences(tier: Tier, limit: string, gain: string | null): string {
  const { name, upgradesTo } = tierTraits[tier]
  const says = `The ${name.toLowerCase()} tier ${limit}.`
  if (upgradesTo === null || gain === null) return says
  return `${says} Upgrade to ${tierTraits[upgradesTo].name} for ${gain}.`
}

/** Returns the error text for a feature: which tier lacks it, and which upgrade includes it. */
export function tierErrorText(tier: Tier, code: TierFeatureCode): string {
  const { lack, gain } = featureTexts[code]
  return sentences(tier, lack, gain)
}

/**
 * Returns the error text for a limit: the current value, and the upgrade if it raises the limit.
 */
export function limitErrorText(tier: Tier, code: TierLimitCode, limits: Limits): string {
  const { upgradesTo } = tierTraits[tier]
  const own = limits[tier]
  const above = upgradesTo && limits[upgradesTo]
  const text: LimitText = limitTexts[code]
  const gain = above && text.helps(own, above) ? text.upgrade(above) : null
  return sentences(tier, text.limit(own), gain)
}

/** Returns the error text for a number of days that no tier offers. */
export function unknownDaysText(limits: Limits): string {
  return `expirationDays: Must be ${daysText(...daysOffered(limits))}.`
}

import { anyOf } from '../rules/any-of.ts'
import { formatSizeLimit } from '../rules/file-size.ts'
import type { Tier } from '../rules/tier.ts'
import { type TierLimits, tierLimits, upgradeOf } from '../rules/tier-limits.ts'

interface Text {
  /** The text about the limit. It follows 'The free tier'. */
  limit: (limits: TierLimits) => string
  /** The text about what the next tier allows. It follows 'Upgrade to Premium for'. */
  upgrade: (limits: TierLimits) => string
}

const texts = {
  TIER_FILE_COUNT: {
    limit: ({ maxFiles }) => `holds ${maxFiles} files at most`,
    upgrade: ({ maxFiles }) => (maxFiles === null ? 'unlimited uploads' : `${maxFiles} files`),
  },
  TIER_EXPIRATION: {
    limit: ({ expirationDays }) => `keeps files for ${anyOf(expirationDays)} days`,
    upgrade: ({ expirationDays }) => `${anyOf(expirationDays)} days`,
  },
  TIER_FILE_SIZE: {
    limit: ({ maxFileSize }) => `takes files up to ${formatSizeLimit(maxFileSize)}`,
    upgrade: ({ maxFileSize }) => `files up to ${formatSizeLimit(maxFileSize)}`,
  },
  TIER_RENEWAL: {
    limit: () => 'cannot renew links',
    upgrade: () => 'new links',
  },
  TIER_FILE_MANAGER: {
    limit: () => 'has no File Manager',
    upgrade: () => 'the File Manager',
  },
  TIER_BRANDING: {
    limit: () => 'has no branding',
    upgrade: () => 'custom branding',
  },
  TIER_ANALYTICS: {
    limit: () => 'has no analytics',
    upgrade: () => 'advanced analytics',
  },
} satisfies Record<string, Text>

/** The errors that say what a user's tier does not allow. */
export type TierErrorCode = keyof typeof texts

/** Returns the error text for a user of this tier: the limit, and the upgrade that removes it. */
export function tierErrorText(tier: Tier, code: TierErrorCode): string {
  const limits = tierLimits[tier]
  const upgrade = upgradeOf(tier)
  const text: Text = texts[code]
  const says = `The ${limits.name.toLowerCase()} tier ${text.limit(limits)}.`
  return upgrade ? `${says} Upgrade to ${upgrade.name} for ${text.upgrade(upgrade)}.` : says
}

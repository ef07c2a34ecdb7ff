import { type TierErrorCode, tierErrorText } from '../../../shared/contract/tier-errors.ts'
import { anyOf } from '../../../shared/rules/any-of.ts'
import { formatSize } from '../../../shared/rules/file-size.ts'
import type { Tier } from '../../../shared/rules/tier.ts'
import { type TierLimits, tierLimits, upgradeOf } from '../../../shared/rules/tier-limits.ts'

/** The text of the card's badge for each reason why a tier refuses an upload. */
const reasons = {
  TIER_FILE_COUNT: ({ name, maxFiles }) => `${name} holds ${maxFiles} files`,
  TIER_FILE_SIZE: ({ name, maxFileSize }) => `${name} takes files up to ${formatSize(maxFileSize)}`,
  TIER_EXPIRATION: ({ name, expirationDays }) =>
    `${name} keeps files for ${anyOf(expirationDays)} days`,
} satisfies Partial<Record<TierErrorCode, (limits: TierLimits) => string>>
const codes = Object.keys(reasons) as (keyof typeof reasons)[]

/**
 * Returns the text of the reason badge on the upgrade card (spec §2), or null where the card is not
 * shown. The card is shown to a user who can upgrade, if a file was too large (spec §5) or the tier
 * refused an upload for another reason.
 */
export function upgradeReason(
  tier: Tier,
  skippedSome: boolean,
  inlineError: string | null,
): string | null {
  if (upgradeOf(tier) === null) return null
  const limits = tierLimits[tier]
  if (inlineError !== null) {
    const code = codes.find((code) => tierErrorText(tier, code) === inlineError)
    return code ? reasons[code](limits) : `Not in the ${limits.name.toLowerCase()} tier`
  }
  return skippedSome ? reasons.TIER_FILE_SIZE(limits) : null
}

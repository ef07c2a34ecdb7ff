import { type TierErrorCode, tierErrorText } from '../../../shared/contract/tier-errors.ts'
import { anyOf } from '../../../shared/rules/any-of.ts'
import { formatSize } from '../../../shared/rules/file-size.ts'
import type { Tier } from '../../../shared/rules/tier.ts'
import { type TierLimits, tierLimits, upgradeOf } from '../../../shared/rules/tier-limits.ts'

/** The text of the reason badge for each refusal of an upload by a tier. */
const reasons = {
  TIER_FILE_COUNT: ({ name, maxFiles }) => `${name} holds ${maxFiles} files`,
  TIER_FILE_SIZE: ({ name, maxFileSize }) => `${name} takes files up to ${formatSize(maxFileSize)}`,
  TIER_EXPIRATION: ({ name, expirationDays }) =>
    `${name} keeps files for ${anyOf(expirationDays)} days`,
} satisfies Partial<Record<TierErrorCode, (limits: TierLimits) => string>>
const codes = Object.keys(reasons) as (keyof typeof reasons)[]

/**
 * Returns the text of the reason badge of the upgrade card (spec §2); null where the card is
 * closed. The card opens for a user who can upgrade, if a file was too large (spec §5) or an upload
 * was refused for another reason of the tier.
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

import { limitErrorText, type TierLimitCode } from '../../../shared/contract/tier-errors.ts'
import { formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import { daysText, filesText } from '../../../shared/rules/tiers/limit-text.ts'
import type { Tier } from '../../../shared/rules/tiers/tier.ts'
import {
  type Limits,
  type TierLimits,
  tierOfLargerFiles,
} from '../../../shared/rules/tiers/tier-limits.ts'
import { tierTraits } from '../../../shared/rules/tiers/tier-traits.ts'

/** The text of the card's badge for each limit. The name of the tier stands before it. */
const reasons: Record<TierLimitCode, (limits: TierLimits) => string> = {
  TIER_FILE_COUNT: ({ maxFiles }) => `holds ${filesText(maxFiles)}`,
  TIER_FILE_SIZE: ({ maxFileSize }) => `takes files up to ${formatSizeLimit(maxFileSize)}`,
  TIER_EXPIRATION: ({ expirationDays }) => `keeps files for ${daysText(...expirationDays)}`,
}
const codes = Object.keys(reasons) as TierLimitCode[]

/**
 * Returns the text of the reason badge on the upgrade card (spec §2), or null if the card is not
 * shown. A user who can upgrade sees the card in two cases: a file was too large and the next tier
 * takes larger files (spec §5), or the server refused an upload because of the tier.
 */
export function upgradeReason(
  tier: Tier,
  limits: Limits,
  { skippedSome, inlineError }: { skippedSome: boolean; inlineError: string | null },
): string | null {
  const { name, upgradesTo } = tierTraits[tier]
  if (upgradesTo === null) return null
  const reason = (code: TierLimitCode) => `${name} ${reasons[code](limits[tier])}`
  if (inlineError !== null) {
    const code = codes.find((code) => limitErrorText(tier, code, limits) === inlineError)
    return code ? reason(code) : `Not in the ${name.toLowerCase()} tier`
  }
  return skippedSome && tierOfLargerFiles(tier, limits) ? reason('TIER_FILE_SIZE') : null
}

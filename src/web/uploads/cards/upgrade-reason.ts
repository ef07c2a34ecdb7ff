import { errorTable } from '../../../shared/contract/errors.ts'
import { formatSize } from '../../../shared/rules/file-size.ts'
import type { Tier } from '../../../shared/rules/tier.ts'
import { tierLimits } from '../../../shared/rules/tier-limits.ts'

const { maxFiles, maxFileSize } = tierLimits.free
const sizeReason = `Free takes files up to ${formatSize(maxFileSize)}`

/** The text of the reason badge for each refusal of the free tier. */
const reasons: Readonly<Record<string, string>> = {
  [errorTable.TIER_FILE_COUNT.message]: `Free holds ${maxFiles} files`,
  [errorTable.TIER_FILE_SIZE.message]: sizeReason,
  [errorTable.TIER_EXPIRATION.message]:
    `Free keeps files for ${tierLimits.free.expirationDays} days`,
}

/**
 * Returns the text of the reason badge of the upgrade card (spec §2); null where the card is
 * closed. The card opens for a free user whose file was too large (spec §5), or whose upload was
 * refused for another reason of the tier.
 */
export function upgradeReason(
  tier: Tier,
  skippedSome: boolean,
  inlineError: string | null,
): string | null {
  if (tier !== 'free') return null
  if (inlineError !== null) return reasons[inlineError] ?? 'Not in the free tier'
  return skippedSome ? sizeReason : null
}

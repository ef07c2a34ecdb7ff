import {
  formatSize,
  formatSizeLimit,
  roundSizeDown,
} from '../../../shared/rules/format/file-size.ts'
import { defaultTier, tiers, tierTraits } from '../../../shared/rules/tiers/tier.ts'
import type { Limits } from '../../../shared/rules/tiers/tier-limits.ts'

/** File sizes that a tier allows but for which there is currently not enough space. */
interface RejectedSizes {
  /** `failing` if the default tier is affected. */
  status: 'failing' | 'warning'
  /** A clause such as 'a file larger than 44 MB is refused now, though Free allows 500MB'. */
  text: string
}

/**
 * Compares the space available to a new upload with the largest file that each tier allows. Returns
 * null if every tier's largest file fits.
 */
export function findRejectedSizes(availableBytes: number, limits: Limits): RejectedSizes | null {
  const affectedTiers = tiers.filter((tier) => limits[tier].maxFileSize > availableBytes)
  if (affectedTiers.length === 0) return null
  const allowedSizesText = affectedTiers
    .map((tier) => `${tierTraits[tier].name} allows ${formatSizeLimit(limits[tier].maxFileSize)}`)
    .join(' and ')
  const subject =
    availableBytes === 0
      ? 'every new upload'
      : `a file larger than ${formatSize(roundSizeDown(availableBytes))}`
  return {
    status: affectedTiers.includes(defaultTier) ? 'failing' : 'warning',
    text: `${subject} is refused now, though ${allowedSizesText}`,
  }
}

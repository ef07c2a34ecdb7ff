import {
  formatSize,
  formatSizeLimit,
  roundSizeDown,
} from '../../../shared/rules/format/file-size.ts'
import { defaultTier, tiers, tierTraits } from '../../../shared/rules/tiers/tier.ts'
import type { Limits } from '../../../shared/rules/tiers/tier-limits.ts'

/** File sizes that a tier allows but that don't fit now. */
interface RefusedSizes {
  /** `failing` if users of the default tier are affected. */
  status: 'failing' | 'warning'
  /** A clause such as 'a file larger than 44 MB is refused now, though Free allows 500MB'. */
  text: string
}

/**
 * Compares the space for a new upload with the largest file of each tier. Returns null if all of
 * them fit.
 */
export function refusedSizes(room: number, limits: Limits): RefusedSizes | null {
  const refused = tiers.filter((tier) => limits[tier].maxFileSize > room)
  if (refused.length === 0) return null
  const allowed = refused
    .map((tier) => `${tierTraits[tier].name} allows ${formatSizeLimit(limits[tier].maxFileSize)}`)
    .join(' and ')
  const size =
    room === 0 ? 'every new upload' : `a file larger than ${formatSize(roundSizeDown(room))}`
  return {
    status: refused.includes(defaultTier) ? 'failing' : 'warning',
    text: `${size} is refused now, though ${allowed}`,
  }
}

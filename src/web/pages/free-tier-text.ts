import { formatSizeLimit } from '../../shared/rules/file-size.ts'
import { defaultTier } from '../../shared/rules/tier.ts'
import { tierLimits } from '../../shared/rules/tier-limits.ts'

const { maxFiles, maxFileSize } = tierLimits[defaultTier]

/** The text about the limits of a free account for people who do not have one yet. */
export const freeTierText = `Free: ${maxFiles} files at a time, up to ${formatSizeLimit(maxFileSize)} each`

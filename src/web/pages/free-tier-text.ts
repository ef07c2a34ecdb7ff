import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { filesText } from '../../shared/rules/tiers/limit-text.ts'
import type { TierLimits } from '../../shared/rules/tiers/tier-limits.ts'

/** Returns the limits of a free account in words, for people who have no account yet. */
export function freeTierText({ maxFiles, maxFileSize }: TierLimits): string {
  const files = maxFiles === null ? filesText(null) : `${filesText(maxFiles)} at a time`
  return `Free: ${files}, up to ${formatSizeLimit(maxFileSize)} each`
}

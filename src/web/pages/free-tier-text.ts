import { formatSizeLimit } from '../../shared/rules/file-size.ts'
import { tierLimits } from '../../shared/rules/tier-limits.ts'

const { maxFiles, maxFileSize } = tierLimits.free

/** What a free account may hold, as people read it before they have one. */
export const freeTierText = `Free: ${maxFiles} files at a time, up to ${formatSizeLimit(maxFileSize)} each`

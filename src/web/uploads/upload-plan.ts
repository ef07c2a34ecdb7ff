import { formatSize } from '../../shared/rules/file-size.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { tierLimits } from '../../shared/rules/tier-limits.ts'

/** What the plan needs to know of a file; a browser's `File` has it. */
export interface Candidate {
  name: string
  /** Bytes. */
  size: number
}

export interface UploadPlan<F extends Candidate> {
  go: F[]
  /** What is left out, each with the sentence that says why. */
  skipped: { file: F; reason: string }[]
}

/**
 * Which files are uploaded and which are not. Spec §5: oversized files are skipped, and only files
 * within the limit proceed. How many files a tier may have is the server's to say: it alone knows.
 */
export const planUploads = <F extends Candidate>(
  files: readonly F[],
  tier: Tier,
): UploadPlan<F> => {
  const { maxFileSize } = tierLimits[tier]
  const tooLarge = (file: F) => file.size > maxFileSize
  return {
    go: files.filter((file) => !tooLarge(file)),
    skipped: files.filter(tooLarge).map((file) => ({
      file,
      reason: `Too large: ${formatSize(file.size)}, the limit is ${formatSize(maxFileSize)}`,
    })),
  }
}

/** The toast for files that were left out, or null when none was (spec §5). */
export const skippedToast = (
  skipped: UploadPlan<Candidate>['skipped'],
  tier: Tier,
): { title: string; description?: string } | null => {
  const [first, ...others] = skipped
  if (!first) return null
  if (tier === 'free') {
    return {
      title: 'File upload failed - upgrade to Premium for 1GB files and unlimited uploads',
    }
  }
  const more = others.length > 0 ? ` And ${others.length} more.` : ''
  return {
    title: 'File too large',
    description: `${first.file.name}: ${first.reason.replace('Too large: ', '')}.${more}`,
  }
}

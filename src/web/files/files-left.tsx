import type { File as StoredFile } from '../../shared/contract/files.ts'
import { filesLeftText } from '../../shared/rules/tiers/limit-text.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { useFileCounts } from './use-file-counts.ts'
import { useFiles, useRefreshOnReturn } from './use-files.ts'
import { useNow } from './use-now.ts'

const none: readonly StoredFile[] = []

export interface FilesLeftProps {
  tier: Tier
  maxFiles: number
  /** True while uploads are open. Each may become a file, so the number is not shown. */
  isChanging: boolean
}

/**
 * Says how many more files the user may have now, in a tier with a limit. While this is unknown,
 * the line is empty and keeps its height. The files are read again when the person comes back to
 * the page, because they may have uploaded in another browser.
 */
export function FilesLeft({ tier, maxFiles, isChanging }: FilesLeftProps) {
  useRefreshOnReturn()
  const known = useFiles()
  const now = useNow(known.files ?? none, tier)
  const active = useFileCounts(known, tier, now)?.active
  const isKnown = active !== undefined && !isChanging
  return (
    <p className="mt-0.5 min-h-[1lh] font-[540] text-sm tabular-nums">
      {isKnown ? filesLeftText(maxFiles, active) : null}
    </p>
  )
}

import { useMemo } from 'react'
import type { FileCounts, File as StoredFile } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { linkFacts } from './link-facts.ts'
import { useCountedFiles } from './use-files.ts'

export interface KnownFiles {
  files: readonly StoredFile[] | undefined
  hasMore: boolean
}

/**
 * Returns how many of the user's files have each status at `now`; undefined until this is known. If
 * the browser has loaded the whole list, it counts the files itself, so that the numbers change
 * together with the labels. Otherwise it asks the server.
 */
export function useFileCounts(known: KnownFiles, tier: Tier, now: Date): FileCounts | undefined {
  const { files, hasMore } = known
  const counted = useCountedFiles(hasMore)
  const own = useMemo(() => {
    const counts: FileCounts = { active: 0, private: 0, deleted: 0 }
    for (const file of files ?? []) counts[linkStatus(linkFacts(file), tier, now)] += 1
    return counts
  }, [files, tier, now])
  if (hasMore) return counted
  return files && own
}

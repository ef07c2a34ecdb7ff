import type { File as StoredFile } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { Button } from '../ui/button.tsx'
import { useClearExpired } from './change-files.ts'
import { useDeleteDialog } from './delete-files-dialog.tsx'
import { linkFacts } from './link-facts.ts'

export interface ClearHistoryProps {
  /** How many files have expired. If there are none, no button is shown. */
  count: number
  /** All loaded files, expired or not. */
  files: readonly StoredFile[]
  tier: Tier
  now: Date
}

/** Lets free users clear their expired history (spec §2), after a question. */
export function ClearHistory({ count, files, tier, now }: ClearHistoryProps) {
  const { ask, dialog } = useDeleteDialog(useClearExpired())
  const isExpired = (file: StoredFile) => linkStatus(linkFacts(file), tier, now) === 'deleted'
  return (
    <>
      {count > 0 ? (
        <div className="max-sm:basis-full">
          <Button wide onClick={() => ask(files.filter(isExpired), count)}>
            Clear expired history
          </Button>
        </div>
      ) : null}
      {dialog}
    </>
  )
}

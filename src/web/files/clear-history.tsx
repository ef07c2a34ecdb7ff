import { useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/link-status.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { Button } from '../ui/button.tsx'
import { useClearExpired } from './change-files.ts'
import { DeleteFilesDialog } from './delete-files-dialog.tsx'
import { filesHeadingId } from './files-heading.tsx'
import { linkFacts } from './link-facts.ts'

export interface ClearHistoryProps {
  /** How many files have expired. */
  count: number
  /** The files that are known, expired or not. */
  files: readonly StoredFile[]
  tier: Tier
  now: Date
}

/** Spec §2: the action of free users that clears the expired history. It asks first. */
export function ClearHistory({ count, files, tier, now }: ClearHistoryProps) {
  const [isAsking, setAsking] = useState(false)
  const { mutate, isPending, isSuccess } = useClearExpired()
  const expired = files.filter((file) => linkStatus(linkFacts(file), tier, now) === 'deleted')
  return (
    <>
      <div className="max-sm:basis-full">
        <Button wide onClick={() => setAsking(true)}>
          Clear expired history
        </Button>
      </div>
      <DeleteFilesDialog
        open={isAsking}
        onOpenChange={setAsking}
        count={count}
        files={expired}
        pending={isPending}
        onConfirm={() => mutate(undefined, { onSettled: () => setAsking(false) })}
        // The button goes with the last expired file.
        finalFocus={() => (isSuccess ? document.getElementById(filesHeadingId) : true)}
      />
    </>
  )
}

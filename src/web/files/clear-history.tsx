import { useRef, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/link-status.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { Button } from '../ui/button.tsx'
import { useClearExpired } from './change-files.ts'
import { DeleteFilesDialog } from './delete-files-dialog.tsx'
import { filesHeadingId } from './files-heading.tsx'
import { linkFacts } from './link-facts.ts'

export interface ClearHistoryProps {
  /** How many files have expired. If there are none, no button is shown. */
  count: number
  /** The files that the browser knows, expired or not. */
  files: readonly StoredFile[]
  tier: Tier
  now: Date
}

/**
 * Spec §2: the action of free users that clears the expired history. A dialog asks first. The
 * component stays visible while the dialog closes, although no expired files are left then.
 */
export function ClearHistory({ count, files, tier, now }: ClearHistoryProps) {
  const [isAsking, setAsking] = useState(false)
  /** What the dialog asks about. It does not change with the list while the dialog is open. */
  const [asked, setAsked] = useState({ count, files })
  const isCleared = useRef(false)
  const { mutate, isPending } = useClearExpired()
  const ask = () => {
    isCleared.current = false
    const expired = files.filter((file) => linkStatus(linkFacts(file), tier, now) === 'deleted')
    setAsked({ count, files: expired })
    setAsking(true)
  }
  const clear = () =>
    mutate(undefined, {
      onSuccess: () => {
        isCleared.current = true
      },
      onSettled: () => setAsking(false),
    })
  return (
    <>
      {count > 0 ? (
        <div className="max-sm:basis-full">
          <Button wide onClick={ask}>
            Clear expired history
          </Button>
        </div>
      ) : null}
      <DeleteFilesDialog
        open={isAsking}
        onOpenChange={setAsking}
        count={asked.count}
        files={asked.files}
        pending={isPending}
        onConfirm={clear}
        // The button disappears with the last expired file, so the focus moves to the heading.
        finalFocus={() => (isCleared.current ? document.getElementById(filesHeadingId) : true)}
      />
    </>
  )
}

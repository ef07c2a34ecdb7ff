import { useRef, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { Button } from '../ui/button.tsx'
import { useClearExpired } from './change-files.ts'
import { DeleteFilesDialog } from './delete-files-dialog.tsx'
import { filesHeadingId } from './files-heading.tsx'
import { linkFacts } from './link-facts.ts'

export interface ClearHistoryProps {
  /** How many files have expired. If there are none, no button is shown. */
  count: number
  /** All files that the browser has loaded, expired or not. */
  files: readonly StoredFile[]
  tier: Tier
  now: Date
}

/**
 * Lets free users clear their expired history (spec §2). A dialog asks first. The dialog stays
 * visible while it closes, although no expired files are left then.
 */
export function ClearHistory({ count, files, tier, now }: ClearHistoryProps) {
  const [isAsking, setAsking] = useState(false)
  /**
   * The expired files as they were when the dialog opened. Its question is about them, also if the
   * list changes meanwhile.
   */
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

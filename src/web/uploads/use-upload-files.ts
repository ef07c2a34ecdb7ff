import { useState } from 'react'
import { formatSizeLimit } from '../../shared/rules/file-size.ts'
import type { ExpirationDays } from '../../shared/rules/lifetime.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { tierLimits } from '../../shared/rules/tier-limits.ts'
import { toast } from '../ui/toast.tsx'
import { planUploads } from './engine/upload-plan.ts'
import type { PickedFile } from './picking/picked-file.ts'
import type { UploadsStore } from './uploads-state.ts'

export interface UploadFiles {
  /** Uploads the files that the tier allows, and skips those that are too large (spec §5). */
  start: (picked: readonly PickedFile[], days: ExpirationDays) => void
  /** The files that the last start skipped, until they are dismissed. */
  skipped: readonly File[]
  dismissSkipped: () => void
}

const none: readonly File[] = []

const premiumSize = formatSizeLimit(tierLimits.premium.maxFileSize)

/** Returns the function that uploads files of a user of this tier. */
export function useUploadFiles(store: UploadsStore, tier: Tier): UploadFiles {
  const [skipped, setSkipped] = useState(none)
  return {
    start(picked, days) {
      const plan = planUploads(picked, tier)
      setSkipped(plan.skipped.map(({ file }) => file))
      // Spec §5: a toast and the upgrade card for a free user, the file-too-large card for premium.
      if (plan.skipped.length > 0 && tier === 'free') {
        toast({
          title: `File upload failed - upgrade to Premium for ${premiumSize} files and unlimited uploads`,
          tone: 'destructive',
        })
      }
      if (plan.go.length > 0) store.getState().add(plan.go, days)
    },
    skipped,
    dismissSkipped: () => setSkipped(none),
  }
}

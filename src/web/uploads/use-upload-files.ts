import { useState } from 'react'
import { formatSizeLimit } from '../../shared/rules/file-size.ts'
import { defaultExpirationDays, type ExpirationDays } from '../../shared/rules/lifetime.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { type TierLimits, upgradeOf } from '../../shared/rules/tier-limits.ts'
import { toast } from '../ui/toast.tsx'
import { planUploads } from './engine/upload-plan.ts'
import type { PickedFile } from './picking/picked-file.ts'
import type { UploadsStore } from './uploads-state.ts'

export interface UploadFiles {
  /** Uploads the files that the tier allows, and skips those that are too large (spec §5). */
  start: (picked: readonly PickedFile[], days: ExpirationDays) => void
  /** The files that the last call of `start` skipped, until the person dismisses them. */
  skipped: readonly File[]
  dismissSkipped: () => void
  /** Uploads the skipped files that this tier allows. Call it after the user's tier has changed. */
  startSkipped: (tier: Tier) => void
}

interface Skipped {
  picked: readonly PickedFile[]
  days: ExpirationDays
}

const none: Skipped = { picked: [], days: defaultExpirationDays }

function failedForTier({ name, maxFileSize, maxFiles }: TierLimits) {
  const uploads = maxFiles === null ? 'unlimited uploads' : `${maxFiles} uploads`
  const gain = `${formatSizeLimit(maxFileSize)} files and ${uploads}`
  const title = `File upload failed - upgrade to ${name} for ${gain}`
  return { title, tone: 'destructive' } as const
}

/**
 * Returns a function that uploads the files of a user of this tier, and the files that it skipped.
 */
export function useUploadFiles(store: UploadsStore, tier: Tier): UploadFiles {
  const [skipped, setSkipped] = useState(none)
  const upload = ({ picked, days }: Skipped, tier: Tier) => {
    const plan = planUploads(picked, tier)
    setSkipped({ picked: plan.skipped, days })
    // Spec §5: if a higher tier takes larger files, show a toast; the page adds an upgrade card.
    // In the highest tier the page shows the file-too-large card alone.
    const upgrade = upgradeOf(tier)
    if (plan.skipped.length > 0 && upgrade) toast(failedForTier(upgrade))
    if (plan.go.length > 0) store.getState().add(plan.go, days)
  }
  return {
    start: (picked, days) => upload({ picked, days }, tier),
    skipped: skipped.picked.map(({ file }) => file),
    dismissSkipped: () => setSkipped(none),
    startSkipped: (tier) => upload(skipped, tier),
  }
}

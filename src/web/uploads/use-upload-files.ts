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
  /** The files that the last start skipped, until they are dismissed. */
  skipped: readonly File[]
  dismissSkipped: () => void
  /** Uploads those of the skipped files that another tier of the user allows, after a change. */
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

/** Returns the function that uploads files of a user of this tier. */
export function useUploadFiles(store: UploadsStore, tier: Tier): UploadFiles {
  const [skipped, setSkipped] = useState(none)
  const upload = ({ picked, days }: Skipped, tier: Tier) => {
    const plan = planUploads(picked, tier)
    setSkipped({ picked: plan.skipped, days })
    // Spec §5: a toast and the upgrade card where an upgrade takes larger files, as for a free
    // user. The file-too-large card alone where there is none, as for premium.
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

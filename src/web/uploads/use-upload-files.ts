import { useEffect, useRef, useState } from 'react'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { defaultExpirationDays } from '../../shared/rules/links/lifetime.ts'
import { maxFilesPerLink } from '../../shared/rules/links/link-limits.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { filesText, type Limits, tierForLargerFiles } from '../../shared/rules/tiers/tier-limits.ts'
import { toast } from '../ui/toast.tsx'
import type { NewLinks } from './picking/link-form.tsx'
import type { PickedFile } from './picking/picked-file.ts'
import type { UploadsStore } from './uploads-state.ts'

export interface FileUploads {
  /**
   * Uploads the files that the tier allows, and skips those that are too large (spec §5). Returns
   * false if they are too many for one link.
   */
  start: (files: readonly PickedFile[], days: number, newLinks: NewLinks) => boolean
  /** The files that the last call to `start` skipped, until the user dismisses them. */
  skippedFiles: readonly File[]
  dismissSkippedFiles: () => void
}

interface SkippedFiles {
  picked: readonly PickedFile[]
  days: number
  newLinks: NewLinks
}

const noFiles: SkippedFiles = {
  picked: [],
  days: defaultExpirationDays,
  newLinks: { isOneLink: false },
}

const tooManyFilesToast = {
  title: `A link has ${formatCount(maxFilesPerLink, 'file')} at most.`,
  description: 'Upload fewer files at once, or choose A link each.',
  tone: 'destructive',
} as const

/**
 * The toast for oversized files that a higher tier allows. With the default limits:
 * 'File upload failed - upgrade to Premium for 1GB files and unlimited uploads' (spec §5).
 */
function upgradeToast(higherTier: Tier, limits: Limits) {
  const { maxFileSize, maxFiles } = limits[higherTier]
  const uploadsText = maxFiles === null ? 'unlimited uploads' : filesText(maxFiles)
  const benefits = `${formatSizeLimit(maxFileSize)} files and ${uploadsText}`
  const title = `File upload failed - upgrade to ${tierTraits[higherTier].name} for ${benefits}`
  return { title, tone: 'destructive' } as const
}

/**
 * Returns `start`, which uploads the files within the tier's limits, and the files it skipped
 * because they are too large. After an upgrade, uploads the skipped files that the new tier allows.
 */
export function useUploadFiles(store: UploadsStore, tier: Tier, limits: Limits): FileUploads {
  const [skipped, setSkipped] = useState(noFiles)
  const upload = ({ picked, days, newLinks }: SkippedFiles): boolean => {
    // Spec §5: only files within the limit proceed.
    const isWithinLimit = ({ file }: PickedFile) => file.size <= limits[tier].maxFileSize
    const acceptedFiles = picked.filter(isWithinLimit)
    const oversizedFiles = picked.filter((file) => !isWithinLimit(file))
    const { isOneLink, options } = newLinks
    // A single file has a link of its own, and the only call for its options is that of a link.
    const link = isOneLink && (acceptedFiles.length > 1 || options) ? (options ?? {}) : undefined
    if (link && acceptedFiles.length > maxFilesPerLink) {
      toast(tooManyFilesToast)
      return false
    }
    setSkipped({ picked: oversizedFiles, days, newLinks })
    // If a higher tier allows larger files, show a toast in addition to the page's upgrade card
    // (spec §5). Otherwise, the page shows only the file-too-large card.
    const higherTier = tierForLargerFiles(tier, limits)
    if (oversizedFiles.length > 0 && higherTier) toast(upgradeToast(higherTier, limits))
    if (acceptedFiles.length > 0) store.getState().add(acceptedFiles, days, link)
    return true
  }
  const lastTierRef = useRef(tier)
  useEffect(() => {
    const previousTier = lastTierRef.current
    lastTierRef.current = tier
    if (tierTraits[previousTier].upgradesTo === tier && skipped.picked.length > 0) upload(skipped)
  })
  return {
    start: (picked, days, newLinks) => upload({ picked, days, newLinks }),
    skippedFiles: skipped.picked.map(({ file }) => file),
    dismissSkippedFiles: () => setSkipped(noFiles),
  }
}

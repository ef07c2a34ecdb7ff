import { useStore } from 'zustand'
import type { User } from '../../../shared/contract/account.ts'
import { tierTraits } from '../../../shared/rules/tiers/tier-traits.ts'
import { useLimits } from '../../api/public-values.ts'
import { UpgradeCard } from '../../tiers/upgrade-card.tsx'
import type { UploadsStore } from '../uploads-state.ts'
import { FileTooLargeCard } from './file-too-large-card.tsx'
import { SkippedFiles } from './skipped-files.tsx'
import { upgradeReason } from './upgrade-reason.ts'

export interface UploadCardsProps {
  store: UploadsStore
  user: User
  /** The files that were too large for the tier. */
  skipped: readonly File[]
  onDismiss: () => void
  onTryAnother: () => void
  /** Called after the card changed the user's tier. */
  onTierChange: (user: User) => void
}

/**
 * The card for a refused file (spec §2, §5). It is the upgrade card if an upgrade would help (see
 * `upgradeReason`). Otherwise it is the file-too-large card, or nothing if no file was too large.
 */
export function UploadCards(props: UploadCardsProps) {
  const { store, user, skipped, onDismiss, onTryAnother, onTierChange } = props
  const inlineError = useStore(store, (state) => state.inlineError)
  const limits = useLimits()
  const { maxFileSize } = limits[user.tier]
  const { upgradesTo } = tierTraits[user.tier]
  const reason = upgradeReason(user.tier, limits, { skippedSome: skipped.length > 0, inlineError })
  if (reason !== null && upgradesTo !== null) {
    return (
      <UpgradeCard
        user={user}
        to={upgradesTo}
        reason={reason}
        onContinue={onDismiss}
        onDone={onTierChange}
      >
        {skipped.length > 0 ? <SkippedFiles files={skipped} maxFileSize={maxFileSize} /> : null}
      </UpgradeCard>
    )
  }
  if (skipped.length === 0) return null
  return (
    <FileTooLargeCard
      files={skipped}
      maxFileSize={maxFileSize}
      onTryAnother={onTryAnother}
      onDismiss={onDismiss}
    />
  )
}

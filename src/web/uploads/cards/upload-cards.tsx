import { useStore } from 'zustand'
import type { User } from '../../../shared/contract/account.ts'
import { tierLimits, upgradeOf } from '../../../shared/rules/tier-limits.ts'
import { UpgradeCard } from '../../tiers/upgrade-card.tsx'
import type { UploadsStore } from '../uploads-state.ts'
import { FileTooLargeCard } from './file-too-large-card.tsx'
import { SkippedFiles } from './skipped-files.tsx'
import { upgradeReason } from './upgrade-reason.ts'

export interface UploadCardsProps {
  store: UploadsStore
  user: Pick<User, 'tier' | 'email'>
  /** The files that were too large for the tier. */
  skipped: readonly File[]
  onDismiss: () => void
  onTryAnother: () => void
}

/**
 * The card for a refused file: file too large, or upgrade to Premium (spec §2, §5). Shows nothing
 * if no file was refused.
 */
export function UploadCards({ store, user, skipped, onDismiss, onTryAnother }: UploadCardsProps) {
  const inlineError = useStore(store, (state) => state.inlineError)
  const limits = tierLimits[user.tier]
  const { maxFileSize } = limits
  const upgrade = upgradeOf(user.tier)
  const reason = upgradeReason(user.tier, skipped.length > 0, inlineError)
  if (reason !== null && upgrade !== null) {
    return (
      <UpgradeCard
        from={limits}
        to={upgrade}
        reason={reason}
        userEmail={user.email}
        onContinue={onDismiss}
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

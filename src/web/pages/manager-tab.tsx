import { lazy, Suspense } from 'react'
import type { User } from '../../shared/contract/account.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { useSendsMail } from '../api/public-values.ts'
import { UpgradeCard } from '../tiers/upgrade-card.tsx'
import { Button } from '../ui/button.tsx'
import { Loading, RowsLoading } from '../ui/skeleton.tsx'

const FileManager = lazy(async () => ({
  default: (await import('../files/manager/file-manager.tsx')).FileManager,
}))

const LinkStatistics = lazy(async () => ({
  default: (await import('../analytics/link-statistics.tsx')).LinkStatistics,
}))

export interface ManagerTabProps {
  user: User
  /** True to list only files whose links expire within 24 hours. */
  isExpiring: boolean
  onShowAll: () => void
  onUpload: () => void
  /** Called when the user has changed the tier on this tab. */
  onTierChange: (user: User) => void
}

/**
 * The File Manager tab (spec §2), or the upgrade card if the tier has no File Manager. Its code is
 * loaded on demand.
 */
export function ManagerTab({ user, onUpload, onTierChange, ...filter }: ManagerTabProps) {
  const { fileManager, upgradesTo } = tierTraits[user.tier]
  const sendsMail = useSendsMail()
  if (!fileManager && upgradesTo) {
    return (
      <UpgradeCard
        user={user}
        to={upgradesTo}
        reason={`The File Manager comes with ${tierTraits[upgradesTo].name}`}
        onContinue={onUpload}
        onDone={onTierChange}
      >
        <p className="text-muted">
          Sort and search any number of files, delete many at once and copy their links together.
          {sendsMail ? ' Get emails about first downloads and expiring links.' : ''}
        </p>
      </UpgradeCard>
    )
  }
  return (
    <Suspense fallback={<RowsLoading label="Loading your files" rows={8} />}>
      <FileManager
        {...filter}
        tier={user.tier}
        statistics={(link, receipt) => (
          <Suspense fallback={<Loading label="Loading the statistics">{null}</Loading>}>
            <LinkStatistics
              link={link}
              canRenew={tierTraits[user.tier].renewal}
              receipt={receipt}
            />
          </Suspense>
        )}
        emptyAction={
          <Button variant="primary" onClick={onUpload}>
            Upload a file
          </Button>
        }
      />
    </Suspense>
  )
}

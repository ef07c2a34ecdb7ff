import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import type { User } from '../../shared/contract/account.ts'
import { analyticsDays } from '../../shared/rules/format/day.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { AnalyticsLoading } from '../analytics/analytics-loading.tsx'
import { UpgradeCard } from '../tiers/upgrade-card.tsx'
import { Button } from '../ui/button.tsx'

const AnalyticsSection = lazy(async () => ({
  default: (await import('../analytics/analytics-section.tsx')).AnalyticsSection,
}))

export interface AnalyticsTabProps {
  user: User
  /** The path to the File Manager, filtered to links that expire soon. */
  expiringPath: string
  onUpload: () => void
  /** Called when the user has changed the tier on this tab. */
  onTierChange: (user: User) => void
}

/**
 * The Analytics tab (spec §2), or the upgrade card if the tier has no analytics. Its code is loaded
 * on demand.
 */
export function AnalyticsTab({ user, expiringPath, onUpload, onTierChange }: AnalyticsTabProps) {
  const { analytics, upgradesTo } = tierTraits[user.tier]
  if (!analytics && upgradesTo) {
    return (
      <UpgradeCard
        user={user}
        to={upgradesTo}
        reason={`Analytics come with ${tierTraits[upgradesTo].name}`}
        onContinue={onUpload}
        onDone={onTierChange}
      >
        <p className="text-muted">
          Downloads of the last {analyticsDays} days, day by day, your files by kind and size, the
          links that end soon, and what is downloaded most.
        </p>
      </UpgradeCard>
    )
  }
  return (
    <Suspense fallback={<AnalyticsLoading />}>
      <AnalyticsSection
        expiringLink={
          <Link
            href={expiringPath}
            className="font-[560] text-accent underline underline-offset-3 hover:decoration-2 pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
          >
            Show them
          </Link>
        }
        emptyAction={
          <Button variant="primary" onClick={onUpload}>
            Upload a file
          </Button>
        }
      />
    </Suspense>
  )
}

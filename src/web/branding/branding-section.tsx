import { lazy, Suspense } from 'react'
import { findUpgrade, type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { Card } from '../ui/card.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'

/** Only users with custom branding need the form's code. */
const BrandingSettings = lazy(async () => ({
  default: (await import('./branding-form.tsx')).BrandingSettings,
}))

/** Shows the branding form, or says which tier includes custom branding. */
export function BrandingSection({ tier }: { tier: Tier }) {
  return (
    <Card className="p-5 sm:p-6">
      {tierTraits[tier].branding ? (
        <Suspense fallback={<BrandingLoading />}>
          <BrandingSettings loading={<BrandingLoading />} />
        </Suspense>
      ) : (
        <p>
          Custom branding is part of {findUpgrade(tier)?.name ?? 'another tier'}: your name, logo,
          color and a message. Your branding is kept and comes back when you upgrade.
        </p>
      )}
    </Card>
  )
}

function BrandingLoading() {
  return (
    <Loading label="Loading your branding">
      <Skeleton className="h-4 w-24" />
      <Skeleton className="mt-2 h-11 w-full" />
      <Skeleton className="mt-5 h-4 w-24" />
      <Skeleton className="mt-2 h-24 w-full" />
      <Skeleton className="mt-5 h-40 w-full" />
    </Loading>
  )
}

import { lazy, Suspense } from 'react'
import { type Tier, tierTraits, upgradeOf } from '../../shared/rules/tiers/tier.ts'
import { Card } from '../ui/card.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'

/** The code of the form is loaded only for users whose tier has custom branding. */
const BrandingSettings = lazy(() =>
  import('./branding-form.tsx').then((it) => ({ default: it.BrandingSettings })),
)

/** Shows the form for the brand or, without custom branding, which tier has it. */
export function BrandingSection({ tier }: { tier: Tier }) {
  return (
    <Card className="p-5 sm:p-6">
      {tierTraits[tier].branding ? (
        <Suspense fallback={<BrandingLoading />}>
          <BrandingSettings loading={<BrandingLoading />} />
        </Suspense>
      ) : (
        <p>
          Custom branding is part of {upgradeOf(tier)?.name ?? 'another tier'}: your name, logo,
          color and a message. Your branding is kept and comes back when you upgrade.
        </p>
      )}
    </Card>
  )
}

/** Grey shapes in place of the form while it is being loaded. */
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

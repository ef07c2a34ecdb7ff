import { lazy, Suspense } from 'react'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { tierTraits, upgradeOf } from '../../shared/rules/tiers/tier-traits.ts'
import { Card } from '../ui/card.tsx'
import { BrandingLoading } from './branding-loading.tsx'

/** The code of the form is loaded only for users whose tier has custom branding. */
const BrandingSettings = lazy(() =>
  import('./branding-settings.tsx').then((it) => ({ default: it.BrandingSettings })),
)

/**
 * Shows the form for the brand. If the user's tier has no custom branding, it says which tier has.
 */
export function BrandingSection({ tier }: { tier: Tier }) {
  return (
    <Card className="p-5 sm:p-6">
      {tierTraits[tier].branding ? (
        <Suspense fallback={<BrandingLoading />}>
          <BrandingSettings />
        </Suspense>
      ) : (
        <p>
          Custom branding is part of {upgradeOf(tier)?.name ?? 'another tier'}: your name, logo,
          colour and a message. What you saved is kept and comes back when you upgrade.
        </p>
      )}
    </Card>
  )
}

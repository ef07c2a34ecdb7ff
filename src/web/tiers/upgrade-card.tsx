import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import type { User } from '../../shared/contract/account.ts'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { priceText } from '../../shared/rules/format/numbers.ts'
import { type Tier, type TierTraits, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { daysText, filesText, type TierLimits } from '../../shared/rules/tiers/tier-limits.ts'
import { trialDays } from '../../shared/rules/tiers/trial.ts'
import { useLimits, usePremiumPrice } from '../api/public-values.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { useTierChanges } from './use-tier-changes.ts'
import { useTrialNotice } from './use-trial-notice.ts'

interface Feature {
  name: string
  description: string
}

/** Returns the tier's features for the card to list (spec §2). */
function getFeatures(traits: TierTraits, limits: TierLimits): Feature[] {
  const { maxFiles, maxFileSize, expirationDays } = limits
  const fileLimitText = maxFiles === null ? 'Unlimited files' : filesText(maxFiles)
  return [
    {
      name: `${fileLimitText} and ${formatSizeLimit(maxFileSize)} uploads`,
      description: 'Each with its own link',
    },
    ...(expirationDays.length > 1
      ? [
          {
            name: 'Custom expiration times',
            description: `${daysText(...expirationDays)}, chosen at each upload`,
          },
        ]
      : []),
    ...(traits.analytics
      ? [{ name: 'Advanced analytics', description: 'Downloads day by day and file by file' }]
      : []),
    ...(traits.branding
      ? [{ name: 'Custom branding', description: 'Your name, logo and color on download pages' }]
      : []),
  ]
}

export interface UpgradeCardProps {
  user: User
  /** The tier to upgrade to. */
  to: Tier
  /** The limit that the user has reached, in a few words. */
  reason: string
  /** Details below the reason, such as the rejected files. */
  children?: ReactNode
  onContinue: () => void
  /** Called when the card has changed the tier. */
  onDone: (user: User) => void
}

/**
 * The card for upgrading to premium (spec §2). There are no payments yet, so Upgrade Now switches
 * the tier at once, and the card says so. Users who haven't had a trial are offered one, except the
 * administrator, who can switch tiers at any time.
 */
export function UpgradeCard(props: UpgradeCardProps) {
  const { user, to, reason, children, onContinue, onDone } = props
  const price = usePremiumPrice()
  const limits = useLimits()
  const { startTrial, switchTo, isPending } = useTierChanges(onDone)
  const canStartTrial = useTrialNotice(user)?.kind === 'offer'
  return (
    <Card className="mb-4 p-5 sm:p-6">
      <section aria-labelledby="upgrade-title">
        <Badge tone="outline">{reason}</Badge>
        {children ? <div className="mt-3">{children}</div> : null}
        <div className="mt-4 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
          <h2 id="upgrade-title" className="text-xl">
            Upgrade to {tierTraits[to].name}
          </h2>
          <p className="tabular-nums">
            <span className="font-[620] text-xl">{priceText(price)}</span>
            <span className="text-muted"> per month</span>
          </p>
        </div>
        <ul className="mt-4 grid gap-x-6 gap-y-3 sm:grid-cols-2">
          {getFeatures(tierTraits[to], limits[to]).map(({ name, description }) => (
            <li key={name} className="flex gap-2.5">
              <Check aria-hidden="true" className="mt-0.5 size-[18px] shrink-0 text-accent" />
              <div className="min-w-0">
                <p>{name}</p>
                <p className="text-muted text-sm tabular-nums">{description}</p>
              </div>
            </li>
          ))}
        </ul>
        <div className="mt-5 flex gap-2 max-sm:flex-col sm:flex-wrap sm:items-center">
          <Button pending={isPending} onClick={() => switchTo(to)}>
            Upgrade Now
          </Button>
          {canStartTrial ? (
            <Button pending={isPending} onClick={startTrial}>
              Try it free for {trialDays} days
            </Button>
          ) : null}
          {/* Spec §2 requires the label 'Continue with Free'. */}
          <Button variant="quiet" onClick={onContinue}>
            Continue with {tierTraits[user.tier].name}
          </Button>
        </div>
        <p className="mt-3 text-muted text-sm">
          {user.isAdmin
            ? 'You run this server: nothing is charged, and you can switch your own tier at any time.'
            : 'A preview version: nothing is charged. Upgrade Now switches your account at once.'}
        </p>
      </section>
    </Card>
  )
}

import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatSizeLimit } from '../../shared/rules/file-size.ts'
import type { TierLimits } from '../../shared/rules/tier-limits.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { upgradeMailAddress } from './upgrade-mail.ts'
import { usePremiumPrice } from './use-premium-price.ts'
import { useSupportEmail } from './use-support-email.ts'

/** Spec §2: the feature list of the card. */
function featuresOf({ maxFiles, maxFileSize, ...limits }: TierLimits): string[] {
  return [
    `${maxFiles ?? 'Unlimited'} files and ${formatSizeLimit(maxFileSize)} uploads`,
    ...(limits.expirationDays.length > 1 ? ['Custom expiration times'] : []),
    ...(limits.analytics ? ['Advanced analytics'] : []),
    ...(limits.branding ? ['Custom branding'] : []),
  ]
}

export interface UpgradeCardProps {
  /** The user's tier, and the one that an upgrade leads to. */
  from: TierLimits
  to: TierLimits
  /** The limit of the user's tier that was reached, in a few words. */
  reason: string
  /** The mail address of the account to upgrade. */
  userEmail: string
  /** Details below the reason, such as the files that were refused. */
  children?: ReactNode
  onContinue: () => void
}

/**
 * The upgrade-to-premium card (spec §2). This version takes no payments: Upgrade Now opens a mail
 * to support, and the card says so.
 */
export function UpgradeCard(props: UpgradeCardProps) {
  const { from, to, reason, userEmail, children, onContinue } = props
  const price = usePremiumPrice()
  const supportEmail = useSupportEmail()
  return (
    <Card className="mb-4 p-5 sm:p-6">
      <section aria-labelledby="upgrade-title">
        <Badge tone="outline">{reason}</Badge>
        {children ? <div className="mt-3">{children}</div> : null}
        <div className="mt-4 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
          <h2 id="upgrade-title" className="text-xl">
            Upgrade to {to.name}
          </h2>
          <p className="tabular-nums">
            <span className="font-[620] text-xl">${price}</span>
            <span className="text-muted"> per month</span>
          </p>
        </div>
        <ul className="mt-4 grid gap-x-6 gap-y-2 sm:grid-cols-2">
          {featuresOf(to).map((feature) => (
            <li key={feature} className="flex items-center gap-2.5">
              <Check aria-hidden="true" className="size-[18px] shrink-0 text-accent" />
              {feature}
            </li>
          ))}
        </ul>
        <div className="mt-5 flex flex-wrap items-center gap-2">
          {supportEmail === undefined ? (
            <Button variant="primary" disabled>
              Upgrade Now
            </Button>
          ) : (
            <ButtonLink
              variant="primary"
              href={upgradeMailAddress(supportEmail, userEmail, to.name)}
            >
              Upgrade Now
            </ButtonLink>
          )}
          <Button onClick={onContinue}>Continue with {from.name}</Button>
        </div>
        <p className="mt-3 text-muted text-sm wrap-anywhere">
          Nothing can be paid here yet. Upgrade Now opens a mail to {supportEmail ?? 'our support'}{' '}
          that asks to switch your account.
        </p>
      </section>
    </Card>
  )
}

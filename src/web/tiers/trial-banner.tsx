import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { User } from '../../shared/contract/account.ts'
import { priceText } from '../../shared/rules/format/numbers.ts'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { type TrialNotice, trialDays } from '../../shared/rules/tiers/trial.ts'
import { usePremiumPrice } from '../api/public-values.ts'
import { serverNow } from '../api/server-clock.ts'
import { Lifeline, textColors } from '../files/lifeline.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { confirm } from '../ui/confirm.tsx'
import { useTierChanges } from './use-tier-changes.ts'
import { useDismissed, useTrialNotice } from './use-trial-notice.ts'

export interface TrialBannerProps {
  user: User
  /**
   * True if starting the trial is the page's primary action. The banner is then shown even if the
   * user has dismissed it.
   */
  isPrimary: boolean
  /**
   * Called when the banner has changed the tier or was dismissed. Either may have removed the
   * focused button.
   */
  onDone: () => void
}

/**
 * The trial banner (spec §2): offers a trial, counts down the days or hours left, or shows 'Trial
 * expired'. It can't be dismissed during the trial.
 */
export function TrialBanner({ user, isPrimary, onDone }: TrialBannerProps) {
  const notice = useTrialNotice(user)
  const [isDismissed, dismiss] = useDismissed(`trial ${notice?.kind} ${user.id}`)
  const { startTrial, switchTo, isPending } = useTierChanges(onDone)
  if (notice === null || (isDismissed && notice.kind !== 'running' && !isPrimary)) return null
  // During a trial, the user already has the highest tier, so upgrading means keeping it.
  const targetTier = tierTraits[user.tier].upgradesTo ?? user.tier
  const label = { offer: 'Start trial', running: 'Keep Premium', expired: 'Upgrade Now' }[
    notice.kind
  ]
  const confirmAndSwitch = async () => {
    const isConfirmed = await confirm({
      title: `${tierTraits[targetTier].name} with no end date`,
      description: <PriceText label={label} />,
      confirmLabel: label,
      confirmVariant: 'primary',
    })
    if (isConfirmed) switchTo(targetTier)
  }
  return (
    <Card className="w-full sm:w-auto">
      <aside
        aria-label="Premium trial"
        className="flex min-h-[42px] flex-wrap items-center gap-x-3.5 py-1 pr-1.5 max-sm:py-2 pl-3.5 text-sm tabular-nums sm:flex-nowrap"
      >
        <TrialText notice={notice} endsAt={user.premiumTrialEndsAt} />
        <div
          className={`order-2 -my-1 flex items-center sm:order-5 ${isPrimary ? 'gap-1' : '-ml-2.5'}`}
        >
          <Button
            variant={isPrimary ? 'primary' : 'link'}
            size="small"
            pending={isPending}
            onClick={notice.kind === 'offer' ? startTrial : () => void confirmAndSwitch()}
          >
            {label}
          </Button>
          {notice.kind === 'running' ? null : (
            <IconButton
              label="Dismiss"
              icon={<X />}
              onClick={() => {
                dismiss()
                onDone()
              }}
            />
          )}
        </div>
      </aside>
    </Card>
  )
}

function PriceText({ label }: { label: string }) {
  const priceLabel = priceText(usePremiumPrice())
  return `${priceLabel} per month. A preview version: nothing is charged. ${label} switches your account at once.`
}

/**
 * The banner's text, in two parts. Narrow screens show the trial's name beside the button and the
 * time below it.
 */
function TrialText({ notice, endsAt }: { notice: TrialNotice; endsAt: string | null }) {
  switch (notice.kind) {
    case 'offer':
      return <BannerText>Premium, free for {trialDays} days</BannerText>
    case 'running': {
      const untilText = endsAt && `until ${localTimestampText(new Date(endsAt), serverNow())}`
      return (
        <>
          <BannerText>Premium trial</BannerText>
          <span className="order-3 flex items-center gap-3.5 max-sm:mb-0.5 max-sm:basis-full max-sm:pr-[11px]">
            <span className="min-w-24 flex-1 sm:w-[120px]">
              <Lifeline
                state={{
                  lived: 1 - notice.fractionLeft,
                  valid: notice.fractionLeft,
                  renewable: 0,
                  tone: notice.tone,
                }}
                size="small"
              />
            </span>
            <b
              role="status"
              title={untilText ?? undefined}
              className={`font-semibold ${textColors[notice.tone]}`}
            >
              {notice.label}
            </b>
            {untilText === null ? null : <span className="sr-only">{untilText}</span>}
          </span>
        </>
      )
    }
    case 'expired':
      return (
        <>
          <BannerText>
            <b role="status" className="font-semibold">
              Trial expired
            </b>
          </BannerText>
          <span className="order-3 text-muted max-sm:mb-0.5 max-sm:basis-full">
            Open links keep their dates.
          </span>
        </>
      )
  }
}

function BannerText({ children }: { children: ReactNode }) {
  return <span className="order-1 max-sm:flex-1">{children}</span>
}

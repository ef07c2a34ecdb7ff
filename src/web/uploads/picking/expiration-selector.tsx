import { daysText } from '../../../shared/rules/tiers/limit-text.ts'
import type { TierLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { Segmented } from '../../ui/segmented.tsx'

const label = 'Expires after'

/**
 * Selects for how many days the links of the next files work (spec §5). The limits of the user's
 * tier say which days can be chosen. If a tier has one choice only, it is shown as text: free users
 * read '3 days (default)' if the administrator has changed nothing.
 */
export function ExpirationSelector(props: {
  limits: TierLimits
  days: number
  onDaysChange: (days: number) => void
}) {
  const { expirationDays } = props.limits
  const only = expirationDays.length === 1
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2">
      <span className="text-muted text-sm" aria-hidden={!only}>
        {label}
      </span>
      {only ? (
        <span className="font-[560] text-sm">{daysText(props.days)} (default)</span>
      ) : (
        <Segmented
          label={label}
          options={expirationDays.map((days) => ({
            value: String(days),
            label: daysText(days),
          }))}
          value={String(props.days)}
          onValueChange={(value) => {
            const chosen = expirationDays.find((days) => String(days) === value)
            if (chosen) props.onDaysChange(chosen)
          }}
        />
      )}
    </div>
  )
}

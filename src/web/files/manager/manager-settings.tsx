import type { ReactNode } from 'react'
import { daysText } from '../../../shared/rules/limit-text.ts'
import type { Tier } from '../../../shared/rules/tier.ts'
import { selectedDays } from '../../../shared/rules/tier-limits.ts'
import { useLimits } from '../../api/use-limits.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useChangePreferences, usePreferences } from './use-preferences.ts'

function Setting({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <div className="grid content-center gap-1 px-5 py-4">
      {children}
      <p className="text-muted text-sm">{hint}</p>
    </div>
  )
}

/** The settings of the File Manager: the default expiry, and which mails the user gets. */
export function ManagerSettings({ tier, id }: { tier: Tier; id: string }) {
  const { data, isError, isFetching, refetch } = usePreferences()
  const change = useChangePreferences()
  const limits = useLimits()[tier]
  const content = () => {
    if (data) {
      return (
        <div className="grid divide-line max-lg:divide-y lg:grid-cols-3 lg:divide-x">
          <Setting hint="For your next uploads.">
            <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
              <span className="font-[560] text-sm">Default expiry</span>
              <Segmented
                label="Default expiry"
                options={limits.expirationDays.map((days) => ({
                  value: String(days),
                  label: daysText(days),
                }))}
                value={String(selectedDays(limits, data.defaultExpirationDays))}
                onValueChange={(value) => change({ defaultExpirationDays: Number(value) })}
              />
            </div>
          </Setting>
          <Setting hint="Once for each file.">
            <Switch
              label="Mail at the first download"
              checked={data.mailOnFirstDownload}
              onCheckedChange={(mailOnFirstDownload) => change({ mailOnFirstDownload })}
            />
          </Setting>
          <Setting hint="A day before its end.">
            <Switch
              label="Mail before a link expires"
              checked={data.mailBeforeExpiry}
              onCheckedChange={(mailBeforeExpiry) => change({ mailBeforeExpiry })}
            />
          </Setting>
        </div>
      )
    }
    if (isError) {
      return (
        <div role="alert" className="flex flex-wrap items-center justify-between gap-3 px-5 py-4">
          <p className="text-muted text-sm">Your settings could not be loaded.</p>
          <Button
            size="small"
            pending={isFetching}
            pendingLabel="Loading…"
            onClick={() => void refetch()}
          >
            Try again
          </Button>
        </div>
      )
    }
    return (
      <Loading label="Loading your settings">
        <div className="px-5 py-6">
          <Skeleton className="h-4 w-2/3" />
        </div>
      </Loading>
    )
  }
  return (
    <section id={id} aria-label="Settings" className="mb-3">
      <Card>{content()}</Card>
    </section>
  )
}

import { type ReactNode, useId } from 'react'
import type { Tier } from '../../../shared/rules/tiers/tier.ts'
import { daysText, selectedDays } from '../../../shared/rules/tiers/tier-limits.ts'
import { useLimits, useSendsMail } from '../../api/public-values.ts'
import { Card } from '../../ui/card.tsx'
import { InlineLoadError, QueryContent } from '../../ui/load-error.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useChangePreferences, usePreferences } from './use-preferences.ts'

interface SettingRowProps {
  hint: string
  /** The id of the element that contains the hint, for `aria-describedby`. */
  hintId?: string
  children: ReactNode
}

function SettingRow({ hint, hintId, children }: SettingRowProps) {
  return (
    <div className="grid content-center gap-1 px-5 py-4">
      {children}
      <p id={hintId} className="text-muted text-sm">
        {hint}
      </p>
    </div>
  )
}

interface EmailSettingProps {
  label: string
  hint: string
  /** Whether the server sends email; undefined until known. */
  sendsMail: boolean | undefined
  isEnabled: boolean
  onChange: (isEnabled: boolean) => void
}

/** Turns a kind of email on or off. On a server that sends no email, it can only be turned off. */
function EmailSetting({ label, hint, sendsMail, isEnabled, onChange }: EmailSettingProps) {
  const hintId = useId()
  return (
    <SettingRow hint={sendsMail === false ? 'This server sends no email.' : hint} hintId={hintId}>
      <Switch
        label={label}
        checked={isEnabled}
        onCheckedChange={onChange}
        disabled={sendsMail === false && !isEnabled}
        describedBy={hintId}
      />
    </SettingRow>
  )
}

/** The File Manager's settings: the default expiry, and which emails the user gets. */
export function ManagerSettings({ tier, id }: { tier: Tier; id: string }) {
  const query = usePreferences()
  const changePreferences = useChangePreferences()
  const limits = useLimits()[tier]
  const sendsMail = useSendsMail()
  return (
    <section id={id} aria-label="Settings" className="mb-3">
      <Card>
        <QueryContent
          query={query}
          failed={
            <InlineLoadError
              query={query}
              text="Your settings could not be loaded."
              className="justify-between px-5 py-4"
            />
          }
          loading={
            <Loading label="Loading your settings">
              <div className="px-5 py-6">
                <Skeleton className="h-4 w-2/3" />
              </div>
            </Loading>
          }
        >
          {(preferences) => (
            <div className="grid divide-line max-lg:divide-y lg:grid-cols-3 lg:divide-x">
              <SettingRow hint="For new uploads.">
                <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
                  <span className="font-[560] text-sm">Default expiry</span>
                  <SegmentedControl
                    label="Default expiry"
                    options={limits.expirationDays.map((days) => ({
                      value: String(days),
                      label: daysText(days),
                    }))}
                    value={String(selectedDays(limits, preferences.defaultExpirationDays))}
                    onValueChange={(value) =>
                      changePreferences({ defaultExpirationDays: Number(value) })
                    }
                  />
                </div>
              </SettingRow>
              <EmailSetting
                label="Email at the first download"
                hint="Once per file."
                sendsMail={sendsMail}
                isEnabled={preferences.mailOnFirstDownload}
                onChange={(mailOnFirstDownload) => changePreferences({ mailOnFirstDownload })}
              />
              <EmailSetting
                label="Email before a link expires"
                hint="One day before."
                sendsMail={sendsMail}
                isEnabled={preferences.mailBeforeExpiry}
                onChange={(mailBeforeExpiry) => changePreferences({ mailBeforeExpiry })}
              />
            </div>
          )}
        </QueryContent>
      </Card>
    </section>
  )
}

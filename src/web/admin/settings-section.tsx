import type { ReactNode } from 'react'
import { type TextSettingKey, textSettingKeys } from '../../shared/rules/tiers/admin-settings.ts'
import { Card } from '../ui/card.tsx'
import { LoadFailed } from '../ui/load-failed.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { SectionFrame, type SectionProps } from './section.tsx'
import { SettingForm } from './setting-form.tsx'
import { useSettings } from './use-settings.ts'

/**
 * The settings that the administrator can change (spec §2, §3), except the limits and the caps,
 * which have a section of their own.
 */
export function SettingsSection({ id, title }: SectionProps) {
  const { data, isError, isFetching, refetch } = useSettings()
  const content = () => {
    if (data) {
      return <Grid>{(key) => <SettingForm key={key} setting={key} saved={data[key]} />}</Grid>
    }
    if (isError) {
      return (
        <LoadFailed
          title="The settings could not be loaded"
          onRetry={() => void refetch()}
          pending={isFetching}
        />
      )
    }
    return (
      <Loading label="Loading the settings">
        <Grid>
          {(key) => (
            <div key={key} className="grid content-start gap-2">
              <Skeleton className="h-3.5 w-28" />
              <Skeleton className="h-11 w-full" />
              <Skeleton className="h-3 w-44" />
            </div>
          )}
        </Grid>
      </Loading>
    )
  }
  return (
    <SectionFrame id={id} title={title} note="Changes reach everybody within 5 minutes.">
      {content()}
    </SectionFrame>
  )
}

/**
 * The card of the settings. The signature is the last setting and needs more room, so it has its
 * own column.
 */
function Grid({ children }: { children: (key: TextSettingKey) => ReactNode }) {
  return (
    <Card className="grid gap-x-10 gap-y-6 p-4 sm:p-6 md:grid-cols-2 md:[&>:last-child]:col-start-2 md:[&>:last-child]:row-span-2 md:[&>:last-child]:row-start-1">
      {textSettingKeys.map((key) => children(key))}
    </Card>
  )
}

import type { ReactNode } from 'react'
import { amountText, counted } from '../../shared/rules/format/numbers.ts'
import {
  checkTextSetting,
  longestSignature,
  longestVersion,
  priceBounds,
  type TextSettingKey,
  textSettingKeys,
} from '../../shared/rules/tiers/admin-settings.ts'
import { Card } from '../ui/card.tsx'
import type { TextFieldProps } from '../ui/field.tsx'
import { LoadFailed } from '../ui/load-failed.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { SectionFrame, type SectionProps } from './section.tsx'
import { settingTexts, useSaveSetting, useSettings } from './use-settings.ts'
import { ValueForm } from './value-form.tsx'

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

/** The props of the input for each setting. `checkTextSetting` checks the exact bounds. */
const inputs: Readonly<Record<TextSettingKey, Partial<TextFieldProps>>> = {
  premium_price: {
    type: 'number',
    inputMode: 'decimal',
    min: priceBounds.least,
    max: priceBounds.most,
    step: 0.01,
    sign: '$',
  },
  app_version: { maxLength: longestVersion, verbatim: true },
  email_signature: { maxLength: longestSignature, rows: 5 },
}

interface SettingFormProps {
  setting: TextSettingKey
  /** The value that the server has stored. */
  saved: string
}

/**
 * A form that changes one setting. The form refuses a value outside the bounds, and the server does
 * too.
 */
export function SettingForm({ setting, saved }: SettingFormProps) {
  const { mutateAsync } = useSaveSetting(setting)
  const { label, hint } = settingTexts[setting]
  const shown = setting === 'premium_price' ? amountText : verbatim
  return (
    <ValueForm
      label={label}
      hint={hint}
      saved={shown(saved)}
      shown={shown}
      input={inputs[setting]}
      check={(typed) => checkTextSetting(setting, typed)}
      save={async (value, onRefused) => (await mutateAsync({ value, onRefused })).value}
      savedText={(stored) => savedText(setting, saved, stored)}
    />
  )
}

function verbatim(stored: string): string {
  return stored
}

/**
 * Says that a value was saved, and what it was before. Example: 'Saved. It was $8.' Of a value with
 * several lines it says how long it is now. Example: 'Saved: 3 lines, 71 characters.'
 */
export function savedText(key: TextSettingKey, before: string, stored: string): string {
  const shown = settingTexts[key].inSentence(before)
  if (shown !== null) return `Saved. It was ${shown}.`
  const lines = counted(stored.split('\n').length, 'line')
  return `Saved: ${lines}, ${counted(stored.length, 'character')}.`
}

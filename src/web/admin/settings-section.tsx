import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { amountText } from '../../shared/rules/format/numbers.ts'
import {
  checkTextSetting,
  choiceSettingKeys,
  maxSignatureLength,
  maxVersionLength,
  priceBounds,
  type TextSettingKey,
  textSettingKeys,
} from '../../shared/rules/tiers/admin-settings.ts'
import { Card } from '../ui/card.tsx'
import type { TextFieldProps } from '../ui/field.tsx'
import { QueryContent } from '../ui/load-error.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { settingsQuery } from './admin-queries.ts'
import { ChoiceSetting } from './choice-setting.tsx'
import { SectionFrame } from './section.tsx'
import { SettingForm } from './setting-form.tsx'
import { settingStrings } from './setting-texts.ts'

/** The settings that the administrator can change (spec §2, §3), except limits and caps. */
export function SettingsSection() {
  return (
    <SectionFrame id="settings" note="Changes reach everybody within 5 minutes.">
      <QueryContent
        query={useQuery(settingsQuery)}
        failed="The settings could not be loaded"
        loading={<SettingsLoading />}
      >
        {(values) => (
          <div className="grid gap-4">
            <SettingsGrid>
              {(key) => <TextSettingForm key={key} setting={key} stored={values[key]} />}
            </SettingsGrid>
            <Card className="grid gap-x-10 gap-y-6 p-4 sm:p-6 md:grid-cols-2">
              {choiceSettingKeys.map((key) => (
                <ChoiceSetting key={key} setting={key} stored={values[key]} />
              ))}
            </Card>
          </div>
        )}
      </QueryContent>
    </SectionFrame>
  )
}

function SettingsLoading() {
  return (
    <Loading label="Loading the settings">
      <SettingsGrid>
        {(key) => (
          <div key={key} className="grid content-start gap-2">
            <Skeleton className="h-3.5 w-28" />
            <Skeleton className="h-11 w-full" />
            <Skeleton className="h-3 w-44" />
          </div>
        )}
      </SettingsGrid>
    </Loading>
  )
}

/** Lays out the settings in a card. The last one, the signature, has its own column. */
function SettingsGrid({ children }: { children: (key: TextSettingKey) => ReactNode }) {
  return (
    <Card className="grid gap-x-10 gap-y-6 p-4 sm:p-6 md:grid-cols-2 md:[&>:last-child]:col-start-2 md:[&>:last-child]:row-span-2 md:[&>:last-child]:row-start-1">
      {textSettingKeys.map((key) => children(key))}
    </Card>
  )
}

/** Input props for each setting. `checkTextSetting` does the full validation. */
const inputProps: Readonly<Record<TextSettingKey, Partial<TextFieldProps>>> = {
  premium_price: {
    type: 'number',
    inputMode: 'decimal',
    min: priceBounds.min,
    max: priceBounds.max,
    step: 0.01,
    prefix: '$',
  },
  app_version: { maxLength: maxVersionLength, verbatim: true },
  email_signature: { maxLength: maxSignatureLength, rows: 5 },
}

export function TextSettingForm({ setting, stored }: { setting: TextSettingKey; stored: string }) {
  const { inSentence, ...texts } = settingStrings[setting]
  return (
    <SettingForm
      {...texts}
      setting={setting}
      stored={stored}
      previousValue={inSentence(stored)}
      input={inputProps[setting]}
      check={(input) => checkTextSetting(setting, input)}
      {...(setting === 'premium_price' && { format: amountText })}
    />
  )
}

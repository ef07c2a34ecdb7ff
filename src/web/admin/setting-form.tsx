import { amountText } from '../../shared/rules/format/numbers.ts'
import {
  checkTextSetting,
  longestSignature,
  longestVersion,
  priceBounds,
  type TextSettingKey,
} from '../../shared/rules/tiers/admin-settings.ts'
import type { TextFieldProps } from '../ui/field.tsx'
import { savedText, settingTexts } from './setting-texts.ts'
import { useSaveSetting } from './use-settings.ts'
import { ValueForm } from './value-form.tsx'

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

export interface SettingFormProps {
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

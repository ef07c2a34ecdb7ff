import { Check } from 'lucide-react'
import { useState } from 'react'
import {
  checkTextSetting,
  longestSignature,
  longestVersion,
  priceBounds,
  type TextSettingKey,
} from '../../shared/rules/admin-settings.ts'
import { Button } from '../ui/button.tsx'
import { TextField, type TextFieldProps } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { savedText, settingTexts } from './setting-texts.ts'
import { useSaveSetting } from './use-settings.ts'

/** How the value of each setting is typed. The exact limits are those of `checkTextSetting`. */
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
  /** The value that the server has. */
  saved: string
}

/** Changes one setting. A value out of its limits is refused here, and by the server. */
export function SettingForm({ setting, saved }: SettingFormProps) {
  const [typed, setTyped] = useState(saved)
  const [errors, setErrors] = useState<{ value?: string }>({})
  /** What the last press of Save did, until somebody types again. */
  const [done, setDone] = useState<string | null>(null)
  const { mutateAsync: save } = useSaveSetting(setting, (fault) => setErrors({ value: fault }))
  const { label, hint } = settingTexts[setting]

  const type = (value: string) => {
    setTyped(value)
    setErrors({})
    setDone(null)
  }
  const submit = async ({ value }: { value: string }): Promise<'stay'> => {
    const verdict = checkTextSetting(setting, value)
    setErrors(verdict.ok ? {} : { value: verdict.fault })
    if (!verdict.ok) return 'stay'
    if (verdict.value === saved) {
      setTyped(saved)
      setDone('Nothing has changed.')
      return 'stay'
    }
    try {
      const { value: stored } = await save(verdict.value)
      setTyped(stored)
      setDone(savedText(setting, saved))
    } catch {
      // The mutation has told the failure. What was typed stays.
    }
    return 'stay'
  }

  return (
    <Form names={['value']} errors={errors} onSubmit={submit}>
      {(busy) => (
        <div>
          <div className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <TextField
                {...inputs[setting]}
                label={label}
                name="value"
                value={typed}
                onValueChange={type}
                hint={hint}
                required
                error={errors.value}
              />
            </div>
            {/* As high as the line of the label above the field. */}
            <div className="pt-[26px] [&>button]:h-11">
              <Button type="submit" label={`Save ${label.toLowerCase()}`} pending={busy}>
                Save
              </Button>
            </div>
          </div>
          <p role="status" className="flex min-h-6 items-center gap-1.5 text-sm wrap-anywhere">
            {done === null ? null : (
              <>
                <Check aria-hidden="true" className="size-4 shrink-0 text-accent" />
                {done}
              </>
            )}
          </p>
        </div>
      )}
    </Form>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { SettingKey, SettingVerdict } from '../../shared/rules/tiers/admin-settings.ts'
import { call, hasErrorCode } from '../api/call.ts'
import { refreshPublicValues } from '../api/public-values.ts'
import { TextField, type TextFieldProps } from '../ui/field.tsx'
import { type FieldErrors, Form, SubmitButton } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { adminErrorText, refreshAdminData, showAdminFailure } from './admin-queries.ts'

export interface SettingFormProps {
  setting: SettingKey
  stored: string
  label: string
  /** Says where the value appears and what range is allowed. */
  hint: string
  /** The title of the toast shown when saving fails (spec §8). */
  failure: string
  /** Additional props for the text field, such as its type. */
  input?: Partial<TextFieldProps>
  /** Text after 'Save' in the button's accessible name. Required if several forms share a label. */
  buttonLabel?: string
  /** Validates the input. If it is valid, returns the value in the format in which it is stored. */
  check: (input: string) => SettingVerdict
  /** Formats a stored value for the input field. */
  format?: (stored: string) => string
  /** The previous value, for use in a sentence. Null if it has several lines. */
  previousValue: string | null
}

/**
 * A form for one setting. The allowed range is checked here and on the server. The input is kept if
 * saving fails.
 */
export function SettingForm(props: SettingFormProps) {
  const { setting, label, failure, check, previousValue, format = (stored) => stored } = props
  const client = useQueryClient()
  const savedText = format(props.stored)
  const [input, setInput] = useState(savedText)
  const [previousSavedText, setPreviousSavedText] = useState(savedText)
  if (previousSavedText !== savedText) {
    // The stored value has changed, so show it unless the user has edited the field.
    setPreviousSavedText(savedText)
    if (input === previousSavedText) setInput(savedText)
  }
  const [errors, setErrors] = useState<FieldErrors>({})
  /** The result of the last save, cleared on the next edit. */
  const [message, setMessage] = useState<string | null>(null)
  const { mutateAsync: save } = useMutation({
    mutationFn: (value: string) =>
      call('POST /api/admin/settings', { body: { key: setting, value } }),
    onSuccess: ({ value }) => {
      setInput(format(value))
      setMessage(previousValue === null ? 'Saved.' : `Saved. It was ${previousValue}.`)
      void refreshAdminData(client)
      // If this request fails, pages show the old value for up to 5 minutes.
      refreshPublicValues(client).catch(() => undefined)
    },
    onError: (error) => {
      if (!hasErrorCode(error, 'INVALID_INPUT')) return showAdminFailure(client, error, failure)
      setErrors({ value: adminErrorText(error) })
      toast({ title: failure, tone: 'destructive' })
      // The server may have rejected the value because another window changed a related limit.
      void refreshAdminData(client)
    },
  })

  const handleInput = (value: string) => {
    setInput(value)
    setErrors({})
    setMessage(null)
  }
  const submit = async ({ value }: { value: string }) => {
    const verdict = check(value)
    setErrors(verdict.ok ? {} : { value: verdict.error })
    if (!verdict.ok) return
    if (format(verdict.value) === savedText) {
      setInput(savedText)
      setMessage('No changes.')
    } else await save(verdict.value).catch(() => undefined)
  }

  return (
    <Form errors={errors} onSubmit={submit}>
      <div>
        <FieldWithButton
          field={
            <TextField
              {...props.input}
              label={label}
              name="value"
              value={input}
              onValueChange={handleInput}
              hint={props.hint}
              required
            />
          }
          button={
            <SubmitButton label={`Save ${props.buttonLabel ?? label.toLowerCase()}`}>
              Save
            </SubmitButton>
          }
        />
        <p
          role="status"
          className="flex items-center gap-1.5 text-sm wrap-anywhere not-empty:mt-1.5"
        >
          {message === null ? null : (
            <>
              <Check aria-hidden="true" className="size-4 shrink-0 text-accent" />
              {message}
            </>
          )}
        </p>
      </div>
    </Form>
  )
}

/** A field with a button beside its input. */
export function FieldWithButton({ field, button }: { field: ReactNode; button: ReactNode }) {
  return (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">{field}</div>
      {/* The padding aligns the button with the input, which is below its label. */}
      <div className="pt-[26px] [&>button]:h-11">{button}</div>
    </div>
  )
}

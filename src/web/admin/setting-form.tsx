import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { SettingKey, SettingVerdict } from '../../shared/rules/tiers/admin-settings.ts'
import { call, isRefusedAs } from '../api/call.ts'
import { refreshPublicValues } from '../api/public-values.ts'
import { TextField, type TextFieldProps } from '../ui/field.tsx'
import { type FieldErrors, Form, SubmitButton } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { reasonText, refreshAdmin, showAdminFailure } from './admin-queries.ts'

export interface SettingFormProps {
  setting: SettingKey
  /** The value that the server has stored. */
  stored: string
  label: string
  /** Says where people see the value, and which bounds it has. */
  hint: string
  /** The title of the message when the value could not be saved (spec §8). */
  failure: string
  /** Props of the text field, such as its type. */
  input?: Partial<TextFieldProps>
  /** What the button's label says after 'Save'. Needed if several forms have the same label. */
  buttonLabel?: string
  /** Checks what somebody typed. Returns the value in the form in which the server stores it. */
  check: (typed: string) => SettingVerdict
  /** Returns a stored value in the form in which a person types it. */
  shown?: (stored: string) => string
  /** The value before, as part of a sentence; null if it has several lines. */
  before: string | null
}

/**
 * A form that changes one setting. It refuses a value outside the bounds, and the server does too.
 * After a failure, the field keeps what was typed.
 */
export function SettingForm(props: SettingFormProps) {
  const { setting, label, failure, check, before, shown = (stored) => stored } = props
  const client = useQueryClient()
  const saved = shown(props.stored)
  const [typed, setTyped] = useState(saved)
  /** The value of `saved` at the last render. */
  const [known, setKnown] = useState(saved)
  if (known !== saved) {
    // The server has another value than before. If nobody has edited the field, it shows the new
    // value.
    setKnown(saved)
    if (typed === known) setTyped(saved)
  }
  const [errors, setErrors] = useState<FieldErrors>({})
  /** The text about the last save. It disappears when somebody types again. */
  const [done, setDone] = useState<string | null>(null)
  const { mutateAsync: save } = useMutation({
    mutationFn: (value: string) => call('changeSetting', { body: { key: setting, value } }),
    onSuccess: ({ value }) => {
      setTyped(shown(value))
      setDone(before === null ? 'Saved.' : `Saved. It was ${before}.`)
      void refreshAdmin(client)
      // If this fails, this page shows the old value for up to 5 minutes, like all others.
      refreshPublicValues(client).catch(() => undefined)
    },
    onError: (error) => {
      if (!isRefusedAs(error, 'INVALID_INPUT')) return showAdminFailure(client, error, failure)
      setErrors({ value: reasonText(error) })
      toast({ title: failure, tone: 'destructive' })
      // The value may contradict a limit that somebody has changed in another window.
      void refreshAdmin(client)
    },
  })

  const type = (value: string) => {
    setTyped(value)
    setErrors({})
    setDone(null)
  }
  const submit = async ({ value }: { value: string }) => {
    const verdict = check(value)
    setErrors(verdict.ok ? {} : { value: verdict.fault })
    if (!verdict.ok) return
    if (shown(verdict.value) === saved) {
      setTyped(saved)
      setDone('No changes.')
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
              value={typed}
              onValueChange={type}
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
          {done === null ? null : (
            <>
              <Check aria-hidden="true" className="size-4 shrink-0 text-accent" />
              {done}
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
      {/* The padding has the height of the label's line. */}
      <div className="pt-[26px] [&>button]:h-11">{button}</div>
    </div>
  )
}

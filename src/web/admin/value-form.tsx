import { Check } from 'lucide-react'
import { useState } from 'react'
import type { SettingVerdict } from '../../shared/rules/tiers/admin-settings.ts'
import { Button } from '../ui/button.tsx'
import { TextField, type TextFieldProps } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'

export interface ValueFormProps {
  label: string
  /** Says where people see the value, and which bounds it has. */
  hint: string
  /** The value that the server has stored, in the form in which a person types it. */
  saved: string
  /** Props of the text field, such as its type. */
  input?: Partial<TextFieldProps>
  /** What the button's label says after 'Save'. Needed if several forms have the same label. */
  buttonLabel?: string
  /** Checks what somebody typed. Returns the value in the form in which the server stores it. */
  check: (typed: string) => SettingVerdict
  /**
   * Returns a stored value in the form in which a person types it. Without this function, both
   * forms are the same.
   */
  shown?: (stored: string) => string
  /**
   * Saves a value, and resolves with the stored value. If the server refuses the value, it calls
   * `onRefused` with the server's message. After any failure it rejects, and has already shown the
   * failure.
   */
  save: (value: string, onRefused: (fault: string) => void) => Promise<string>
  /** Returns the text that says that this value is stored now. */
  savedText: (stored: string) => string
}

/**
 * A form that changes one value of the server. The form refuses a value outside the bounds, and the
 * server does too. After a failure, the field keeps what was typed.
 */
export function ValueForm(props: ValueFormProps) {
  const { label, hint, saved, input, buttonLabel, check, save, savedText } = props
  const shown = props.shown ?? ((stored: string) => stored)
  const [typed, setTyped] = useState(saved)
  /** The value of `saved` at the last render. It shows whether `saved` has changed since. */
  const [known, setKnown] = useState(saved)
  if (known !== saved) {
    // The server has another value than before. If nobody has edited the field, it shows the new
    // value.
    setKnown(saved)
    if (typed === known) setTyped(saved)
  }
  const [errors, setErrors] = useState<{ value?: string }>({})
  /** The text about the last save. It disappears when somebody types again. */
  const [done, setDone] = useState<string | null>(null)

  const type = (value: string) => {
    setTyped(value)
    setErrors({})
    setDone(null)
  }
  const submit = async ({ value }: { value: string }): Promise<'stay'> => {
    const verdict = check(value)
    setErrors(verdict.ok ? {} : { value: verdict.fault })
    if (!verdict.ok) return 'stay'
    if (shown(verdict.value) === saved) {
      setTyped(saved)
      setDone('No changes.')
      return 'stay'
    }
    try {
      const stored = await save(verdict.value, (fault) => setErrors({ value: fault }))
      setTyped(shown(stored))
      setDone(savedText(stored))
    } catch {
      // `save` has already shown the failure. The field keeps what was typed.
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
                {...input}
                label={label}
                name="value"
                value={typed}
                onValueChange={type}
                hint={hint}
                required
                error={errors.value}
              />
            </div>
            {/* The padding has the height of the label's line, so the button stands beside the
                field. */}
            <div className="pt-[26px] [&>button]:h-11">
              <Button
                type="submit"
                label={`Save ${buttonLabel ?? label.toLowerCase()}`}
                pending={busy}
              >
                Save
              </Button>
            </div>
          </div>
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
      )}
    </Form>
  )
}

import { Check } from 'lucide-react'
import { useState } from 'react'
import type { SettingVerdict } from '../../shared/rules/admin-settings.ts'
import { Button } from '../ui/button.tsx'
import { TextField, type TextFieldProps } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'

export interface ValueFormProps {
  label: string
  /** Where the value is seen, and its bounds. */
  hint: string
  /** The value that the server has, as a person types it. */
  saved: string
  /** How the value is typed. */
  input?: Partial<TextFieldProps>
  /** What the button is called where the label alone does not tell forms apart. */
  buttonLabel?: string
  /** Checks what was typed. Returns the value to save, as the server stores it. */
  check: (typed: string) => SettingVerdict
  /** Returns the stored value as a person types it. Without this, both are the same. */
  shown?: (stored: string) => string
  /**
   * Saves a value. Resolves with the stored value. It rejects after it has told the failure, and
   * calls `onRefused` with the server's sentence if the server refuses the value.
   */
  save: (value: string, onRefused: (fault: string) => void) => Promise<string>
  /** Says that the value was saved. */
  savedText: string
}

/**
 * Changes one value of the server. A value out of its bounds is refused here, and by the server.
 * What was typed stays after a failure.
 */
export function ValueForm(props: ValueFormProps) {
  const { label, hint, saved, input, buttonLabel, check, save, savedText } = props
  const shown = props.shown ?? ((stored: string) => stored)
  const [typed, setTyped] = useState(saved)
  const [errors, setErrors] = useState<{ value?: string }>({})
  /** What the last press of Save did, until somebody types again. */
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
      setDone('Nothing has changed.')
      return 'stay'
    }
    try {
      const stored = await save(verdict.value, (fault) => setErrors({ value: fault }))
      setTyped(shown(stored))
      setDone(savedText)
    } catch {
      // The failure has been told. What was typed stays.
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
            {/* As high as the line of the label above the field. */}
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

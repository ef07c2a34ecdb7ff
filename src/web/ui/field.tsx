import { Field } from '@base-ui/react/field'
import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { IconButton } from './button.tsx'
import { useFormState } from './form.tsx'

type ControlProps = Pick<
  ComponentProps<typeof Field.Control>,
  'autoComplete' | 'inputMode' | 'maxLength' | 'min' | 'max' | 'step' | 'required' | 'ref'
>

export interface TextFieldProps extends ControlProps {
  label: string
  /** The form stores the field's value and error under this key. */
  name: string
  type?: 'text' | 'email' | 'password' | 'number'
  /** Set both to make the field controlled. If neither is set, the form keeps the value. */
  value?: string
  onValueChange?: (value: string) => void
  defaultValue?: string | undefined
  /** A sentence under the input. Screen readers read it along with the input. */
  hint?: string | undefined
  /** Disables autocorrection, autocapitalization and spell checking. */
  verbatim?: boolean
  /** A symbol in front of the text inside the input, such as '$'. Hidden from screen readers. */
  prefix?: string
  /** Renders a text area with this many lines. */
  rows?: number
  /** A button at the end of the input, inside its frame. */
  end?: ReactNode
}

const inputClass =
  'w-full rounded-control border border-edge bg-surface px-3.5 text-ink transition-[border-color] duration-120 placeholder:text-muted hover:border-muted data-invalid:border-red disabled:opacity-55'

/** A form input with a label, a hint and an error, which are linked to it for screen readers. */
export function TextField(props: TextFieldProps) {
  const { label, name, type = 'text', hint, prefix, rows, end, ...control } = props
  const { verbatim = type === 'email' || type === 'password', ...input } = control
  const error = useFormState().errors[name]
  return (
    <Field.Root name={name} invalid={error !== undefined} className="grid grid-cols-1 gap-1.5">
      <Field.Label className="w-fit font-[560] text-sm">{label}</Field.Label>
      <div className="relative">
        {prefix ? (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 left-3.5 flex items-center text-muted"
          >
            {prefix}
          </span>
        ) : null}
        <Field.Control
          {...input}
          type={type}
          {...(verbatim && { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false })}
          render={rows === undefined ? undefined : <textarea rows={rows} />}
          className={`${inputClass} ${rows === undefined ? 'h-11' : 'block min-h-11 py-2.5'} ${end ? 'pr-12' : ''} ${prefix ? 'pl-7' : ''}`}
        />
        {end ? <div className="absolute inset-y-0 right-1.5 flex items-center">{end}</div> : null}
      </div>
      {error ? (
        <Field.Error match={true} className="text-red text-sm">
          {error}
        </Field.Error>
      ) : null}
      {hint ? <Field.Description className="text-muted text-sm">{hint}</Field.Description> : null}
    </Field.Root>
  )
}

/** A password field with a button that toggles its visibility. */
export function PasswordField(props: Omit<TextFieldProps, 'type' | 'end'>) {
  const [isShown, setShown] = useState(false)
  return (
    <TextField
      {...props}
      verbatim
      type={isShown ? 'text' : 'password'}
      end={
        <IconButton
          label={`${isShown ? 'Hide' : 'Show'} ${props.label.toLowerCase()}`}
          icon={isShown ? <EyeOff /> : <Eye />}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  )
}

export interface DateFieldProps {
  label: string
  /** A date such as '2026-11-19', or empty. */
  value: string
  onValueChange: (day: string) => void
  /** The earliest and latest date. Empty means no limit. */
  min?: string
  max?: string
}

/**
 * A date field with the browser's native date picker. The label is inside the field's frame, as in
 * `Select`.
 */
export function DateField({ label, value, onValueChange, min = '', max = '' }: DateFieldProps) {
  const id = useId()
  return (
    <div className="flex h-10 w-full min-w-0 items-center rounded-control border border-edge bg-surface transition-[border-color] duration-120 hover:border-muted pointer-coarse:h-11">
      <label htmlFor={id} className="shrink-0 pl-3.5 text-muted text-sm">
        {label}
      </label>
      <input
        id={id}
        type="date"
        value={value}
        min={min || undefined}
        max={max || undefined}
        onChange={({ target }) => onValueChange(target.value)}
        className={`ml-1.5 h-full min-w-0 flex-1 rounded-control bg-transparent pr-2.5 text-sm tabular-nums ${value === '' ? 'text-muted' : 'font-[560] text-ink'}`}
      />
    </div>
  )
}

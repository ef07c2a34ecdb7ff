import { Field } from '@base-ui/react/field'
import { Eye, EyeOff } from 'lucide-react'
import {
  type HTMLInputAutoCompleteAttribute,
  type ReactNode,
  type Ref,
  useId,
  useState,
} from 'react'
import { IconButton } from './button.tsx'

export interface TextFieldProps {
  label: string
  /** The key of the field's value in the form. */
  name: string
  type?: 'text' | 'email' | 'password' | 'number'
  /**
   * Together with `onValueChange` this controls the value. Without both, the form keeps the value.
   */
  value?: string
  onValueChange?: (value: string) => void
  defaultValue?: string
  /** A sentence under the input. Screen readers read it with the input. */
  hint?: string
  /**
   * What is wrong with the value. If set, the input is marked invalid. It is empty if the page says
   * elsewhere what is wrong.
   */
  error?: string
  required?: boolean
  disabled?: boolean
  autoComplete?: HTMLInputAutoCompleteAttribute
  inputMode?: 'text' | 'email' | 'numeric' | 'decimal'
  /** True for text such as addresses, which no keyboard should correct or capitalise. */
  verbatim?: boolean
  maxLength?: number
  /** For a number: the lowest value, the highest value, and the step between values. */
  min?: number
  max?: number
  step?: number
  /** A sign before the text inside the input, such as '$'. Screen readers ignore it. */
  sign?: string
  /** Makes it a text area that shows this many lines. */
  rows?: number
  ref?: Ref<HTMLElement>
}

const inputLook =
  'w-full rounded-control border border-edge bg-surface px-3.5 text-ink transition-[border-color] duration-120 placeholder:text-muted hover:border-muted data-invalid:border-red disabled:opacity-55'

function TextInput({
  end,
  ...props
}: TextFieldProps & {
  /** A button inside the input, at its right end. */
  end?: ReactNode
}) {
  return (
    <Field.Root
      name={props.name}
      invalid={props.error !== undefined}
      disabled={props.disabled}
      className="grid grid-cols-1 gap-1.5"
    >
      <Field.Label className="w-fit font-[560] text-sm">{props.label}</Field.Label>
      <div className="relative">
        {props.sign === undefined ? null : (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 left-3.5 flex items-center text-muted"
          >
            {props.sign}
          </span>
        )}
        <Field.Control
          ref={props.ref}
          type={props.type ?? 'text'}
          value={props.value}
          onValueChange={props.onValueChange}
          defaultValue={props.defaultValue}
          required={props.required}
          autoComplete={props.autoComplete}
          inputMode={props.inputMode}
          autoCapitalize={props.verbatim ? 'none' : undefined}
          autoCorrect={props.verbatim ? 'off' : undefined}
          spellCheck={props.verbatim ? false : undefined}
          maxLength={props.maxLength}
          min={props.min}
          max={props.max}
          step={props.step}
          render={props.rows === undefined ? undefined : <textarea rows={props.rows} />}
          className={`${inputLook} ${props.rows === undefined ? 'h-11' : 'block min-h-11 py-2.5'} ${end ? 'pr-12' : ''} ${props.sign === undefined ? '' : 'pl-7'}`}
        />
        {end ? <div className="absolute inset-y-0 right-1.5 flex items-center">{end}</div> : null}
      </div>
      {props.error ? (
        <Field.Error match={true} className="text-red text-sm">
          {props.error}
        </Field.Error>
      ) : null}
      {props.hint ? (
        <Field.Description className="text-muted text-sm">{props.hint}</Field.Description>
      ) : null}
    </Field.Root>
  )
}

/** An input with its label, hint and error, which are linked for screen readers. */
export function TextField(props: TextFieldProps) {
  return <TextInput {...props} />
}

export type PasswordFieldProps = Omit<TextFieldProps, 'type' | 'verbatim' | 'inputMode'>

/** A password field with a button that shows and hides the text. */
export function PasswordField(props: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  return (
    <TextInput
      {...props}
      verbatim
      type={shown ? 'text' : 'password'}
      end={
        <IconButton
          label={`${shown ? 'Hide' : 'Show'} ${props.label.toLowerCase()}`}
          icon={shown ? <EyeOff /> : <Eye />}
          onClick={() => setShown(!shown)}
        />
      }
    />
  )
}

export interface DateFieldProps {
  label: string
  /** A day such as '2026-11-19'; empty if none is chosen. */
  value: string
  onValueChange: (day: string) => void
  /** The first and the last day that can be chosen. Empty for no bound. */
  min?: string
  max?: string
}

/**
 * A choice of one day. It opens the browser's own calendar. Its label is inside its frame, as that
 * of a `Select`.
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

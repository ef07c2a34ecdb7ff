import { Eye, EyeOff } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'

interface FieldProps {
  id: string
  label: string
  /** A sentence under the input. Screen readers read it along with the input. */
  hint?: ReactNode
}

type InputProps = FieldProps & ComponentProps<'input'>

/** An input with its label, hint and error. `enableForm` fills in the error. */
export function TextField({ id, label, hint, ...input }: InputProps) {
  return (
    <Field id={id} label={label} hint={hint}>
      <Input {...input} id={id} />
    </Field>
  )
}

/** A password field with a button that toggles its visibility. */
export function PasswordField({ id, label, hint, ...input }: InputProps) {
  return (
    <Field id={id} label={label} hint={hint}>
      <span className="password">
        <Input {...input} {...verbatim} id={id} type="password" />
        <button className="icon" type="button" aria-label={`Show ${label.toLowerCase()}`}>
          <Eye className="show" size={18} strokeWidth={1.6} aria-hidden="true" />
          <EyeOff className="hide" size={18} strokeWidth={1.6} aria-hidden="true" />
        </button>
      </span>
    </Field>
  )
}

export function EmailField(props: InputProps) {
  return <TextField {...props} {...verbatim} name="email" type="email" autoComplete="username" />
}

/** Disables autocorrection, autocapitalization and spell checking. */
const verbatim = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const

function Input(props: ComponentProps<'input'>) {
  const { id } = props
  return <input {...props} aria-describedby={`${id}-error ${id}-hint`} required />
}

function Field({ id, label, hint, children }: FieldProps & { children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      <p className="error" id={`${id}-error`} />
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}

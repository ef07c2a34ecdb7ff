import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'

/** Error messages by field name. An empty message only marks the field. */
export type FieldErrors = Readonly<Record<string, string | undefined>>

/** Returns the first message of each field from the issues that a schema has found. */
export function messagesByField(
  issues: readonly { path: PropertyKey[]; message: string }[] = [],
): Record<string, string> {
  return Object.fromEntries(
    issues.toReversed().map(({ path: [name], message }) => [String(name), message]),
  )
}

const FormContext = createContext<{ busy: boolean; errors: FieldErrors }>({
  busy: false,
  errors: {},
})

/** Returns the state of the enclosing form: whether it is being submitted, and its field errors. */
export function useFormState() {
  return useContext(FormContext)
}

export interface FormProps<Values> {
  /**
   * Called with the field values. Further submits are ignored until the promise resolves. Resolve
   * to 'leave' to keep the form busy while the browser leaves the page.
   */
  onSubmit: (values: Values) => Promise<unknown>
  /** Passing a new object moves focus to the first invalid field. */
  errors: FieldErrors
  children: ReactNode
}

/** A form that shows each of `errors` next to its field. The caller validates the values. */
export function Form<Values>({ onSubmit, errors, children }: FormProps<Values>) {
  const formRef = useRef<HTMLFormElement>(null)
  // The state makes the form look busy. The ref blocks another submit until React has rendered
  // that.
  const [isBusy, setBusy] = useState(false)
  const isSubmittedRef = useRef(false)

  useEffect(() => {
    if (Object.keys(errors).length === 0) return
    formRef.current
      ?.querySelector<HTMLElement>(':is(input, textarea)[aria-invalid="true"]')
      ?.focus()
  }, [errors])

  const submit = async (values: Values) => {
    if (isSubmittedRef.current) return
    const setSubmitted = (value: boolean) => {
      isSubmittedRef.current = value
      setBusy(value)
    }
    setSubmitted(true)
    let result: unknown
    try {
      result = await onSubmit(values)
    } finally {
      if (result !== 'leave') setSubmitted(false)
    }
  }

  return (
    <form
      ref={formRef}
      noValidate
      method="post"
      className="grid grid-cols-1 gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(Object.fromEntries(new FormData(event.currentTarget)) as Values)
      }}
    >
      <FormContext value={{ busy: isBusy, errors }}>{children}</FormContext>
    </form>
  )
}

/** The submit button of the enclosing form. */
export function SubmitButton(props: Omit<ButtonProps, 'type' | 'pending' | 'onClick'>) {
  return <Button {...props} type="submit" pending={useFormState().busy} />
}

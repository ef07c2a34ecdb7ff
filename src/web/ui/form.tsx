import { type ReactNode, useEffect, useRef, useState } from 'react'

export interface FormProps<Name extends string> {
  /** The names of the fields whose text is submitted. */
  names: readonly Name[]
  /**
   * Called with the texts of the fields. It is not called again before its promise resolves. After
   * 'leave' the form stays busy, because the screen is about to change.
   */
  onSubmit: (values: Record<Name, string>) => Promise<'stay' | 'leave'>
  /**
   * The error texts by field; an empty text only marks the field. A new object moves the focus to
   * the first invalid field.
   */
  errors: Partial<Record<Name, string>>
  /** Returns the fields and the submit button. `busy` is true while the form is submitted. */
  children: (busy: boolean) => ReactNode
}

/**
 * A form that does not check its fields. The caller gives the error texts, and the form moves the
 * focus to the first invalid field.
 */
export function Form<Name extends string>({ names, onSubmit, errors, children }: FormProps<Name>) {
  const form = useRef<HTMLFormElement>(null)
  // The state redraws the form. The ref refuses a second submit before the form is drawn again.
  const [busy, setBusy] = useState(false)
  const submitted = useRef(false)

  useEffect(() => {
    if (Object.keys(errors).length === 0) return
    form.current?.querySelector<HTMLElement>(':is(input, textarea)[aria-invalid="true"]')?.focus()
  }, [errors])

  const submit = async (values: Record<Name, string>) => {
    if (submitted.current) return
    const mark = (value: boolean) => {
      submitted.current = value
      setBusy(value)
    }
    mark(true)
    let next: 'stay' | 'leave' = 'stay'
    try {
      next = await onSubmit(values)
    } finally {
      if (next === 'stay') mark(false)
    }
  }

  return (
    <form
      ref={form}
      noValidate
      method="post"
      className="grid grid-cols-1 gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        const values = Object.fromEntries(names.map((name) => [name, String(data.get(name) ?? '')]))
        void submit(values as Record<Name, string>)
      }}
    >
      {children(busy)}
    </form>
  )
}

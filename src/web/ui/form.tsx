import { type ReactNode, useEffect, useRef, useState } from 'react'

export interface FormProps<Name extends string> {
  /** The fields whose text it hands over, by name. */
  names: readonly Name[]
  /**
   * Called with what stands in the fields, and not again before it is done. It answers 'leave' when
   * the screen is about to be left: then the form stays busy.
   */
  onSubmit: (values: Record<Name, string>) => Promise<'stay' | 'leave'>
  /** What is wrong, by field. A new object moves the focus to the first field that is marked invalid. */
  errors: Partial<Record<Name, string>>
  /** The fields and the submit button, which is told while the form is busy. */
  children: (busy: boolean) => ReactNode
}

/** A form that checks nothing itself: its owner says what is wrong, it leads the person there. */
export function Form<Name extends string>({ names, onSubmit, errors, children }: FormProps<Name>) {
  const form = useRef<HTMLFormElement>(null)
  // The state draws the form; the ref refuses a second submit before it is drawn again.
  const [busy, setBusy] = useState(false)
  const submitted = useRef(false)

  useEffect(() => {
    if (Object.keys(errors).length === 0) return
    form.current?.querySelector<HTMLElement>('input[aria-invalid="true"]')?.focus()
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
      className="grid gap-5"
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

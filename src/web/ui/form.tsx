import { type ReactNode, useEffect, useRef } from 'react'

export interface FormProps<Name extends string> {
  /** The fields whose text it hands over, by name. */
  names: readonly Name[]
  /** Called once per submit with what stands in the fields; never while `pending`. */
  onSubmit: (values: Record<Name, string>) => void
  /** What is wrong, by field. A new object moves the focus to the first field that is marked invalid. */
  errors: Partial<Record<Name, string>>
  /** While true a submit does nothing, however it comes. */
  pending: boolean
  children: ReactNode
}

/** A form that checks nothing itself: its owner says what is wrong, it leads the person there. */
export const Form = <Name extends string>({
  names,
  onSubmit,
  errors,
  pending,
  children,
}: FormProps<Name>) => {
  const form = useRef<HTMLFormElement>(null)

  useEffect(() => {
    if (Object.keys(errors).length === 0) return
    form.current?.querySelector<HTMLElement>('input[aria-invalid="true"]')?.focus()
  }, [errors])

  return (
    <form
      ref={form}
      noValidate
      method="post"
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (pending) return
        const data = new FormData(event.currentTarget)
        const values = Object.fromEntries(names.map((name) => [name, String(data.get(name) ?? '')]))
        onSubmit(values as Record<Name, string>)
      }}
    >
      {children}
    </form>
  )
}

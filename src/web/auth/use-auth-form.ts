import { useState } from 'react'
import type { z } from 'zod'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import { ApiError, NetworkError, publicMessage } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { toast } from '../ui/toast.tsx'
import { useSignInAgain } from './sign-in-again.ts'

/** The error text at each field that has an error. */
type FieldErrors<Name extends string> = Partial<Record<Name, string>>

interface ToastText {
  title: string
  description: string
}

export interface AuthForm<Name extends string, Body> {
  /** The names of the fields. */
  names: readonly Name[]
  /** Checks what the person typed, and makes the body of the call from it. */
  schema: z.ZodType<Body>
  /** Returns the toast for an error that needs one besides the text at its field (spec §5). */
  errorToast?: (values: Record<NoInfer<Name>, string>) => ToastText | null
  /**
   * Calls the server. After 'leave' the form stays busy, because the screen is about to change. An
   * error that it throws is shown as a failure.
   */
  send: (body: Body) => Promise<'stay' | 'leave'>
  /**
   * The toast for a failure: its title, and its text for errors without a message from the server
   * (spec §8).
   */
  failed: ToastText
  /**
   * The title of the toast if the server gave no answer. Without it, the title of `failed` is used.
   */
  networkTitle?: string
  /**
   * For each error code of the server, the texts to show at the fields. An empty text only marks
   * its field.
   */
  refusals?: Partial<Record<ErrorCode, FieldErrors<NoInfer<Name>>>>
}

/**
 * Submits a form about accounts: checks what the person typed, calls the server, and shows errors
 * in a toast and at the fields. If the session has ended, it goes to the login.
 * @returns the properties of `Form`.
 */
export function useAuthForm<Name extends string, Body>(form: AuthForm<Name, Body>) {
  const [errors, setErrors] = useState<FieldErrors<Name>>({})
  const signInAgain = useSignInAgain()

  const onSubmit = async (values: Record<Name, string>): Promise<'stay' | 'leave'> => {
    const checked = form.schema.safeParse(values)
    if (!checked.success) {
      setErrors(errorsByField(checked.error.issues, values))
      const told = form.errorToast?.(values)
      if (told) toast({ ...told, tone: 'destructive' })
      return 'stay'
    }
    setErrors({})
    try {
      return await form.send(checked.data)
    } catch (error) {
      if (saysSignedOut(error)) {
        signInAgain()
        return 'stay'
      }
      tellFailure(form, error)
      if (error instanceof ApiError) setErrors(refusalOf(form, error))
      return 'stay'
    }
  }

  return { names: form.names, errors, onSubmit }
}

/** Returns the texts that the form shows at its fields after an error of the server. */
function refusalOf<Name extends string, Body>(
  { names, refusals }: AuthForm<Name, Body>,
  { code, publicMessage = '' }: ApiError,
): FieldErrors<Name> {
  return (
    (code && refusals?.[code]) ??
    (code === 'INVALID_INPUT' ? errorsInMessage(publicMessage, names) : {})
  )
}

/**
 * Shows a toast that says why a call failed. Spec §8: it has the server's message, or the default
 * text if the server sent none. If no answer came, it asks the person to check the connection.
 */
export function tellFailure(
  { failed, networkTitle }: Pick<AuthForm<string, unknown>, 'failed' | 'networkTitle'>,
  error: unknown,
): void {
  const isNetwork = error instanceof NetworkError
  toast({
    title: isNetwork ? (networkTitle ?? failed.title) : failed.title,
    description: isNetwork ? checkConnection : (publicMessage(error) ?? failed.description),
    tone: 'destructive',
  })
}

/** The texts beside a field. They are shorter than those in the toasts. */
const fieldTexts: Record<string, string> = {
  password: 'This password is too short.',
  confirmPassword: 'This is not the password above.',
}

function sentence(issue: z.core.$ZodIssue, value: string): string {
  if (value.trim() === '') return 'Please fill in this field.'
  if (issue.code === 'too_big') return `Please use at most ${issue.maximum} characters.`
  if (issue.code === 'invalid_format' && issue.format === 'email') {
    return 'Please enter a valid email address.'
  }
  return fieldTexts[issue.path[0] as string] ?? issue.message
}

/** Returns the first error of each field, as a sentence for the person who filled in the form. */
export function errorsByField<Name extends string>(
  issues: readonly z.core.$ZodIssue[],
  values: Record<Name, string>,
): FieldErrors<Name> {
  const errors: FieldErrors<Name> = {}
  for (const issue of issues) {
    const name = issue.path[0] as Name
    if (name in values) errors[name] ??= sentence(issue, values[name])
  }
  return errors
}

/**
 * Returns the errors in a message of the server, by field. Example of such a message: 'email:
 * Invalid email address; password: Must be text.'
 */
export function errorsInMessage<Name extends string>(
  message: string,
  names: readonly Name[],
): FieldErrors<Name> {
  const errors: FieldErrors<Name> = {}
  for (const part of message.split(/; (?=\w+: )/)) {
    const [, field, text] = /^(\w+): (.+)$/s.exec(part) ?? []
    const name = names.find((name) => name === field)
    if (name !== undefined && text !== undefined) errors[name] ??= text
  }
  return errors
}

/** The text for a call without an answer, in the words of spec §8, network failure. */
const checkConnection = 'Please check your connection and try again'

/**
 * The pages that verify an address or reset a password show this sentence, besides a toast (spec
 * §8).
 */
export const networkErrorOccurred = 'Network error occurred'

/**
 * Shows why a call of the account page failed: see `tellFailure`. It shows nothing if the session
 * has ended, because that has a toast of its own.
 */
export function tellUnlessSignedOut(error: unknown, title: string, description: string): void {
  if (!saysSignedOut(error)) tellFailure({ failed: { title, description } }, error)
}

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import { ApiError, NetworkError } from '../api/call.ts'
import { failureText, showFailure } from '../api/show-failure.ts'
import type { FieldErrors } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'

interface ToastText {
  title: string
  description: string
}

type Texts = Readonly<Record<string, string>>

export interface AuthForm<Body, Values> {
  /** Checks what the person typed, and makes the body of the call from it. */
  schema: z.ZodType<Body, Values>
  /** Returns the toast for an error that needs one besides the text at its field (spec §5). */
  errorToast?: (values: Values) => ToastText | null
  /**
   * Calls the server. After 'leave' the form stays busy, because the screen is about to change. An
   * error that it throws is shown as a failure.
   */
  send: (body: Body) => Promise<unknown>
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
  refusals?: Partial<Record<ErrorCode, FieldErrors>>
}

/**
 * Submits a form about accounts: checks what the person typed, calls the server, and shows errors
 * in a toast and at the fields. If the session has ended, it goes to the login.
 * @returns the properties of `Form`.
 */
export function useAuthForm<Body, Values>(form: AuthForm<Body, Values>) {
  const [errors, setErrors] = useState<FieldErrors>({})
  const { mutateAsync: send } = useMutation({
    mutationFn: form.send,
    onError: (error) =>
      tellFailure(error, form.failed.title, form.failed.description, form.networkTitle),
  })
  const onSubmit = async (values: Values): Promise<unknown> => {
    const checked = form.schema.safeParse(values)
    if (!checked.success) {
      setErrors(errorsByField(checked.error.issues, values as Texts))
      const text = form.errorToast?.(values)
      if (text) toast({ ...text, tone: 'destructive' })
      return undefined
    }
    setErrors({})
    try {
      return await send(checked.data)
    } catch (error) {
      if (error instanceof ApiError) setErrors(refusalOf(error, form, values as Texts))
      return undefined
    }
  }
  return { errors, onSubmit }
}

/** Returns the texts that the form shows at its fields after an error of the server. */
function refusalOf(
  { code, publicMessage = '' }: ApiError,
  { refusals }: { refusals?: Partial<Record<ErrorCode, FieldErrors>> },
  values: Texts,
): FieldErrors {
  if (code && refusals?.[code]) return refusals[code]
  return code === 'INVALID_INPUT' ? errorsInMessage(publicMessage, Object.keys(values)) : {}
}

/**
 * Shows a toast that says why a call failed (spec §8).
 * @param networkTitle the title if the server gave no answer.
 */
export function tellFailure(
  error: unknown,
  title: string,
  description: string,
  networkTitle = title,
): void {
  const shownTitle = error instanceof NetworkError ? networkTitle : title
  showFailure(error, shownTitle, failureText(error, description))
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
export function errorsByField(issues: readonly z.core.$ZodIssue[], values: Texts): FieldErrors {
  const errors: Record<string, string> = {}
  for (const issue of issues) {
    const name = String(issue.path[0])
    const value = values[name]
    if (value !== undefined) errors[name] ??= sentence(issue, value)
  }
  return errors
}

/**
 * Returns the errors in a message of the server, by field. Example of such a message: 'email:
 * Invalid email address; password: Must be text.'
 */
export function errorsInMessage(message: string, names: readonly string[]): FieldErrors {
  const errors: Record<string, string> = {}
  for (const part of message.split(/; (?=\w+: )/)) {
    const [, name, text] = /^(\w+): (.+)$/s.exec(part) ?? []
    if (name && text && names.includes(name)) errors[name] ??= text
  }
  return errors
}

/**
 * The pages that verify an address or reset a password show this sentence, besides a toast (spec
 * §8).
 */
export const networkErrorOccurred = 'Network error occurred'

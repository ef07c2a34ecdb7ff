import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import { ApiError, NetworkError } from '../api/call.ts'
import { failureText } from '../api/failure-text.ts'
import { showFailure } from '../api/show-failure.ts'
import type { FieldErrors } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'

interface ToastText {
  title: string
  description: string
}

type FieldValues = Readonly<Record<string, string>>

export interface AuthForm<Body, Values> {
  /** Validates the values and converts them to the request body. */
  schema: z.ZodType<Body, Values>
  /** Returns a toast to show in addition to the field errors (spec §5), or null. */
  errorToast?: (values: Values) => ToastText | null
  /**
   * Calls the server. Resolve to 'leave' to keep the form busy while the browser leaves the page.
   * If the promise rejects, the error is shown to the user.
   */
  send: (body: Body) => Promise<unknown>
  /**
   * The toast shown if the call fails (spec §8). The server's message, if any, replaces the
   * description.
   */
  failed: ToastText
  /** The toast's title if there was no response. Defaults to the title in `failed`. */
  networkTitle?: string
  /** The field errors for each error code. An empty message only marks the field. */
  errorsByCode?: Partial<Record<ErrorCode, FieldErrors>>
}

/**
 * Submits an account form: validates the values, calls the server, and shows errors in a toast and
 * next to the fields. Opens the login page if the session has ended.
 * @returns the props for `Form`.
 */
export function useAuthForm<Body, Values>(form: AuthForm<Body, Values>) {
  const [errors, setErrors] = useState<FieldErrors>({})
  const { mutateAsync: send } = useMutation({
    mutationFn: form.send,
    onError: (error) =>
      showCallError(error, form.failed.title, form.failed.description, form.networkTitle),
  })
  const onSubmit = async (values: Values): Promise<unknown> => {
    const parseResult = form.schema.safeParse(values)
    if (!parseResult.success) {
      setErrors(toFieldErrors(parseResult.error.issues, values as FieldValues))
      const text = form.errorToast?.(values)
      if (text) toast({ ...text, tone: 'destructive' })
      return undefined
    }
    setErrors({})
    try {
      return await send(parseResult.data)
    } catch (error) {
      if (error instanceof ApiError && error.code) setErrors(form.errorsByCode?.[error.code] ?? {})
      return undefined
    }
  }
  return { errors, onSubmit }
}

/**
 * Shows a toast that explains why a call failed (spec §8).
 * @param networkTitle the title if there was no response.
 */
export function showCallError(
  error: unknown,
  title: string,
  description: string,
  networkTitle = title,
): void {
  const toastTitle = error instanceof NetworkError ? networkTitle : title
  showFailure(error, toastTitle, failureText(error, description))
}

/** Error messages for fields, shorter than those in the toasts. */
const fieldErrorMessages: Record<string, string> = {
  password: 'This password is too short.',
  confirmPassword: "The passwords don't match.",
}

function issueText(issue: z.core.$ZodIssue, value: string): string {
  if (value.trim() === '') return 'Please fill in this field.'
  if (issue.code === 'too_big') return `Please use at most ${issue.maximum} characters.`
  if (issue.code === 'invalid_format' && issue.format === 'email') {
    return 'Please enter a valid email address.'
  }
  return fieldErrorMessages[issue.path[0] as string] ?? issue.message
}

/** Returns the first error for each field, worded for the user. */
export function toFieldErrors(
  issues: readonly z.core.$ZodIssue[],
  values: FieldValues,
): FieldErrors {
  const errors: Record<string, string> = {}
  for (const issue of issues) {
    const name = String(issue.path[0])
    const value = values[name]
    if (value !== undefined) errors[name] ??= issueText(issue, value)
  }
  return errors
}

/** Shown on the verification and password reset pages, in addition to a toast (spec §8). */
export const networkErrorText = 'Network error occurred'

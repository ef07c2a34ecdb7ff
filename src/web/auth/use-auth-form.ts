import { useState } from 'react'
import type { z } from 'zod'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import { ApiError, NetworkError, publicMessage } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { toast } from '../ui/toast.tsx'
import { faultsByField, faultsInMessage } from './faults.ts'
import { checkConnection } from './texts.ts'
import { useSignInAgain } from './use-sign-in-again.ts'

/** The error text at each field that has an error. */
type Faults<Name extends string> = Partial<Record<Name, string>>

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
  faultToast?: (values: Record<NoInfer<Name>, string>) => ToastText | null
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
  refusals?: Partial<Record<ErrorCode, Faults<NoInfer<Name>>>>
}

/**
 * Submits a form about accounts: checks what the person typed, calls the server, and shows errors
 * in a toast and at the fields. If the session has ended, it goes to the login.
 * @returns the properties of `Form`.
 */
export function useAuthForm<Name extends string, Body>(form: AuthForm<Name, Body>) {
  const [errors, setErrors] = useState<Faults<Name>>({})
  const signInAgain = useSignInAgain()

  const onSubmit = async (values: Record<Name, string>): Promise<'stay' | 'leave'> => {
    const checked = form.schema.safeParse(values)
    if (!checked.success) {
      setErrors(faultsByField(checked.error.issues, values))
      const told = form.faultToast?.(values)
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
): Faults<Name> {
  const faults = code && refusals?.[code]
  return faults ?? (code === 'INVALID_INPUT' ? faultsInMessage(publicMessage, names) : {})
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

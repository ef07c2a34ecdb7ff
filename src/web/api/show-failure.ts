import { toast } from '../ui/toast.tsx'
import { NetworkError, publicMessage } from './call.ts'
import { isSignedOutError } from './query-client.ts'

/** The text for a call without a response (spec §8, network failure). */
const checkConnectionText = 'Please check your connection and try again'

/**
 * Returns the error text for a failed call. Without a response, it asks the user to check the
 * connection. Otherwise it is the server's message, or `fallback` if there is none.
 */
export function failureText(error: unknown, fallback: string): string {
  return error instanceof NetworkError ? checkConnectionText : (publicMessage(error) ?? fallback)
}

/** Shows a toast for a failed call, unless the session has ended, which has its own toast. */
export function showFailure(error: unknown, title: string, description: string): void {
  if (!isSignedOutError(error)) toast({ title, description, tone: 'destructive' })
}

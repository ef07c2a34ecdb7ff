import { toast } from '../ui/toast.tsx'
import { NetworkError, publicMessage } from './call.ts'
import { saysSignedOut } from './query-client.ts'

/** The text for a call without an answer, in the words of spec §8, network failure. */
const checkConnection = 'Please check your connection and try again'

/** Says why a call failed: in the server's words, or those of `fallback` if it sent none. */
export function failureText(error: unknown, fallback: string): string {
  return error instanceof NetworkError ? checkConnection : (publicMessage(error) ?? fallback)
}

/**
 * Shows in a toast that a call failed. Shows nothing for the end of the session, which has a toast
 * of its own.
 */
export function showFailure(error: unknown, title: string, description: string): void {
  if (!saysSignedOut(error)) toast({ title, description, tone: 'destructive' })
}

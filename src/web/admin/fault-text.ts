import { NetworkError, publicMessage } from '../api/call.ts'

/**
 * Returns a sentence about why a call of the administrator failed: the server's message, or that
 * the server could not be reached.
 */
export function faultText(error: unknown): string {
  if (error instanceof NetworkError) return 'Please check your connection and try again'
  return publicMessage(error) ?? 'The server gave no reason. Its log may have one.'
}

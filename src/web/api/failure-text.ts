import { NetworkError, publicMessage } from './call.ts'

/** Shown when a call gets no response (spec §8, network failure). */
const checkConnectionText = 'Please check your connection and try again'

/**
 * Returns the error text for a failed call: the server's message, or `fallback` if it sent none. If
 * there was no response, the text asks the user to check the connection.
 */
export function failureText(error: unknown, fallback: string): string {
  return error instanceof NetworkError ? checkConnectionText : (publicMessage(error) ?? fallback)
}

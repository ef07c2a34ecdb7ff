import { useEffect, useState } from 'react'

/**
 * Returns the secret token from the email link that opened this page, or an empty string if there
 * is none. After `hideToken`, reads it from the history state instead of the URL.
 */
export function readToken(): string {
  const { location, history } = window
  const queryToken = new URLSearchParams(location.search).get('token')
  const storedToken: unknown = history.state?.token
  return queryToken ?? (typeof storedToken === 'string' ? storedToken : '')
}

/**
 * Removes the token from the URL, because people share URLs and screenshots. Keeps a non-empty
 * `token` in the history state for reloads, and otherwise discards it.
 */
export function hideToken(token: string | null): void {
  const { location, history } = window
  const query = new URLSearchParams(location.search)
  query.delete('token')
  const { token: _, ...state } = history.state ?? {}
  history.replaceState(
    token ? { ...state, token } : state,
    '',
    `${location.pathname}${query.size > 0 ? `?${query}` : ''}${location.hash}`,
  )
}

/**
 * Returns the secret token from the email link that opened this page, and a function that discards
 * it.
 */
export function useUrlToken(): [token: string, forget: () => void] {
  const [token] = useState(readToken)
  useEffect(() => hideToken(token), [token])
  return [token, () => hideToken(null)]
}

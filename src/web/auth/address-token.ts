import { useEffect, useState } from 'react'

/** The parts of `window` that are used here. */
export interface Place {
  location: Pick<Location, 'pathname' | 'search' | 'hash'>
  history: Pick<History, 'state' | 'replaceState'>
}

/**
 * Returns the token of the letter whose link opened this page, or an empty text. After the token
 * was taken out of the address, it is in the state of the history's entry.
 */
export function readToken({ location, history }: Place): string {
  const inAddress = new URLSearchParams(location.search).get('token')
  const kept: unknown = history.state?.token
  return inAddress ?? (typeof kept === 'string' ? kept : '')
}

/**
 * Takes the token out of the address, where people copy it from and a picture of the screen shows
 * it. With `token` the entry of the history keeps it for a reload, otherwise it is forgotten.
 */
export function hideToken({ location, history }: Place, token: string | null): void {
  const query = new URLSearchParams(location.search)
  query.delete('token')
  const { token: _, ...state } = history.state ?? {}
  history.replaceState(
    token ? { ...state, token } : state,
    '',
    `${location.pathname}${query.size > 0 ? `?${query}` : ''}${location.hash}`,
  )
}

/** Returns the token of the letter, and the function that forgets it once it is of no more use. */
export function useAddressToken(): [token: string, forget: () => void] {
  const [token] = useState(() => readToken(window))
  useEffect(() => hideToken(window, token), [token])
  return [token, () => hideToken(window, null)]
}

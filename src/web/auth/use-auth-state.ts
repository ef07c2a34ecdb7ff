import { useState } from 'react'
import type { User } from '../../shared/contract/account.ts'
import { useCurrentUser } from '../api/use-current-user.ts'

/**
 * Whether the user is signed in, as far as the browser knows. Determines which screens are shown
 * (spec §2, §4).
 */
export type AuthState =
  | { is: 'loading' }
  | { is: 'signed-in'; user: User }
  | { is: 'visitor' }
  /** The session ended while the page was open. */
  | { is: 'logged-out' }
  /** The server didn't respond, so the state is unknown. */
  | { is: 'unreachable'; retry: () => void; isRetrying: boolean }

/** Returns the authentication state. It stays `unreachable` during a retry. */
export function useAuthState(): AuthState {
  const { data: user, isPending, isFetching, errorUpdateCount, refetch } = useCurrentUser()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (user && !wasSignedIn) setWasSignedIn(true)

  if (user) return { is: 'signed-in', user }
  if (user === null) return { is: wasSignedIn ? 'logged-out' : 'visitor' }
  if (isPending && errorUpdateCount === 0) return { is: 'loading' }
  return { is: 'unreachable', retry: () => void refetch(), isRetrying: isFetching }
}

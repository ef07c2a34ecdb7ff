import { useState } from 'react'
import type { User } from '../../shared/contract/account.ts'
import { useCurrentUser } from '../api/use-current-user.ts'

/** Who looks at a page, as far as is known. It selects the set of screens (spec §2, §4). */
export type AuthState =
  | { is: 'loading' }
  | { is: 'signed-in'; user: User }
  | { is: 'visitor' }
  /** The session ended while the page was open. */
  | { is: 'logged-out' }
  /** The server does not say who it is. */
  | { is: 'unreachable'; retry: () => void; isRetrying: boolean }

/** Returns the auth state. While an unreachable server is asked again, that state stays. */
export function useAuthState(): AuthState {
  const { data: user, isPending, isFetching, errorUpdateCount, refetch } = useCurrentUser()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (user && !wasSignedIn) setWasSignedIn(true)

  if (user) return { is: 'signed-in', user }
  if (user === null) return { is: wasSignedIn ? 'logged-out' : 'visitor' }
  if (isPending && errorUpdateCount === 0) return { is: 'loading' }
  return { is: 'unreachable', retry: () => void refetch(), isRetrying: isFetching }
}

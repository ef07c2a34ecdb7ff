import { queryOptions, useQuery } from '@tanstack/react-query'
import type { User } from '../../shared/contract/account.ts'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import { ApiError, call } from './call.ts'

/**
 * Who is signed in; null when nobody is. Here a 401 is an answer and no error (spec §4: a current-user
 * response that returns nothing means signed out).
 */
export const currentUserQuery = queryOptions({
  queryKey: ['/api/auth/user'],
  queryFn: async ({ signal }): Promise<User | null> => {
    // A visitor's browser need not ask: the front page stands at once.
    if (!document.cookie.includes(`${signedInHint}=`)) return null
    try {
      return await call('currentUser', { signal })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
})

/** The query of `currentUserQuery`: `data` is the user, null when signed out, undefined while loading. */
export function useCurrentUser() {
  return useQuery(currentUserQuery)
}

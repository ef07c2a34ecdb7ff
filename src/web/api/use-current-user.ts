import { queryOptions, useQuery } from '@tanstack/react-query'
import type { User } from '../../shared/contract/account.ts'
import { ApiError, call } from './call.ts'
import { readHint } from './hint-cookie.ts'
import { limitsQuery } from './public-values.ts'

declare global {
  /** The response for the first `currentUserQuery`, requested by the page (`pages/shell.tsx`). */
  var userResponse: Promise<Response> | undefined
}

function takeEarlyResponse() {
  const { userResponse } = globalThis
  globalThis.userResponse = undefined
  return userResponse
}

/**
 * Loads the signed-in user and the limits, or null if nobody is signed in. A 401 is a valid
 * response here, not an error (spec §4).
 */
export const currentUserQuery = queryOptions({
  queryKey: ['/api/auth/user'],
  queryFn: async ({ client, signal }): Promise<User | null> => {
    // Without the hint cookie, nobody is signed in, so no request is needed.
    if (readHint(document) === null) return null
    try {
      const { limits, ...user } = await call('GET /api/auth/user', {
        signal,
        early: takeEarlyResponse(),
      })
      client.setQueryData(limitsQuery.queryKey, limits)
      return user
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
})

/** Uses `currentUserQuery`: `data` is the user, null when signed out, undefined while loading. */
export function useCurrentUser() {
  return useQuery(currentUserQuery)
}

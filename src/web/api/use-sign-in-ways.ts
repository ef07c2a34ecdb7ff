import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { type CallAnswer, call } from './call.ts'

/** The page waits for this answer, so that nothing moves when it comes. But it does not wait long. */
const patienceMs = 3000

/** What a page believes while the server cannot say it. The server decides in the end. */
const usual: CallAnswer<'signInWays'> = { google: false, signup: 'open' }

/** The query for the ways to sign in on this server, and for who can sign up. It never fails. */
export const signInWaysQuery = queryOptions({
  queryKey: ['/api/auth/ways'],
  queryFn: ({ signal }) => {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    return call('signInWays', { signal: inTime }).catch(() => usual)
  },
})

/** Returns the ways to sign in, and who can sign up. The screen waits until they are known. */
export function useSignInWays() {
  return useSuspenseQuery(signInWaysQuery).data
}

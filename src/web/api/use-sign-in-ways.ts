import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { type CallAnswer, call } from './call.ts'

/**
 * How long the page waits for this answer. It waits so that nothing moves when the answer comes.
 */
const patienceMs = 3000

/** What the page assumes if the server gives no answer. The server checks every sign-in itself. */
const usual: CallAnswer<'signInWays'> = { google: false, signup: 'open', sendsMail: true }

/** The query for the ways to sign in on this server, and for who can sign up. It never fails. */
export const signInWaysQuery = queryOptions({
  queryKey: ['/api/auth/ways'],
  queryFn: ({ signal }) => {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    return call('signInWays', { signal: inTime }).catch(() => usual)
  },
})

/**
 * Returns the ways to sign in, and who can sign up. The screen is not shown until they are known.
 */
export function useSignInWays() {
  return useSuspenseQuery(signInWaysQuery).data
}

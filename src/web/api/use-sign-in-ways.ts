import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { type CallAnswer, call } from './call.ts'

/**
 * How long a page waits for the ways to sign in, before it assumes the `usual` ones. Without this
 * wait, parts of the page would move when the answer comes.
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

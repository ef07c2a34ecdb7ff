import { type QueryClient, queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { defaultPremiumPrice } from '../../shared/rules/tiers/admin-settings.ts'
import { defaultLimits, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { type CallAnswer, call } from './call.ts'

/** Spec §7: browsers keep the public settings, such as price and version, for 5 minutes. */
const settingsStaleMs = 5 * minuteInMs

const premiumPriceQuery = queryOptions({
  queryKey: ['/api/settings/premium-price'],
  queryFn: ({ signal }) => call('premiumPrice', { signal }),
  staleTime: settingsStaleMs,
})

/**
 * Returns the price of Premium in dollars a month. It is $8 until the page knows the price
 * (spec §9).
 */
export function usePremiumPrice(): number {
  return useQuery(premiumPriceQuery).data?.price ?? defaultPremiumPrice
}

const emailSignatureQuery = queryOptions({
  queryKey: ['/api/settings/email-signature'],
  queryFn: ({ signal }) => call('emailSignature', { signal }),
  staleTime: settingsStaleMs,
})

/** Returns the signature below emails that share a link. Empty until the page knows it. */
export function useEmailSignature(): string {
  return useQuery(emailSignatureQuery).data?.signature ?? ''
}

/**
 * The query for the limits of each tier. A signed-in user gets the limits together with the user
 * (`currentUserQuery`). So this query sends no request until they are 5 minutes old. After that, a
 * page that stays open loads them again. Otherwise it would skip files that a raised limit allows.
 */
export const limitsQuery = queryOptions({
  queryKey: ['/api/settings/limits'],
  queryFn: ({ signal }): Promise<Limits> => call('limits', { signal }),
  staleTime: settingsStaleMs,
  refetchInterval: settingsStaleMs,
})

/**
 * Returns the limits of each tier, or the default limits until the page knows them. A wrong default
 * does no harm, because the server checks every upload.
 */
export function useLimits(): Limits {
  return useQuery(limitsQuery).data ?? defaultLimits
}

const versionQuery = queryOptions({
  queryKey: ['/api/settings/version'],
  queryFn: ({ signal }) => call('version', { signal }),
  staleTime: settingsStaleMs,
})

/** Reads the values that the administrator can change, past the browser's cache. */
export async function refreshPublicValues(client: QueryClient): Promise<void> {
  const fresh = { fresh: true }
  const [price, signature, limits, version] = await Promise.all([
    call('premiumPrice', fresh),
    call('emailSignature', fresh),
    call('limits', fresh),
    call('version', fresh),
  ])
  client.setQueryData(premiumPriceQuery.queryKey, price)
  client.setQueryData(emailSignatureQuery.queryKey, signature)
  client.setQueryData(limitsQuery.queryKey, limits)
  client.setQueryData(versionQuery.queryKey, version)
}

/** Returns the version text of the product; undefined until it is known. */
export function useVersion(): string | undefined {
  return useQuery(versionQuery).data?.version
}

/**
 * Returns the mail address for help; null if this server has none, undefined until it is known.
 * Where it has none, the feedback form is the way to its operator.
 */
export function useSupportEmail(): string | null | undefined {
  return useQuery({
    queryKey: ['/api/settings/contact'],
    queryFn: ({ signal }) => call('contact', { signal }),
    staleTime: settingsStaleMs,
  }).data?.supportEmail
}

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

/**
 * Returns whether this server sends mail; undefined until it is known. Without a mail server, each
 * email goes to a file that only the operator reads. So no page may promise an email there.
 */
export function useSendsMail(): boolean | undefined {
  return useQuery(signInWaysQuery).data?.sendsMail
}

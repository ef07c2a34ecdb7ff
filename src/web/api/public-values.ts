import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { defaultPremiumPrice } from '../../shared/rules/tiers/admin-settings.ts'
import { defaultLimits, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { type CallResponse, call } from './call.ts'

/** Spec §7: browsers cache public settings, such as price and version, for 5 minutes. */
const settingsStaleMs = 5 * minuteInMs

const premiumPriceQuery = queryOptions({
  queryKey: ['/api/settings/premium-price'],
  queryFn: ({ signal }) => call('GET /api/settings/premium-price', { signal }),
  staleTime: settingsStaleMs,
})

/** Returns the monthly price of Premium in dollars. Defaults to $8 until loaded (spec §9). */
export function usePremiumPrice(): number {
  return useQuery(premiumPriceQuery).data?.price ?? defaultPremiumPrice
}

const emailSignatureQuery = queryOptions({
  queryKey: ['/api/settings/email-signature'],
  queryFn: ({ signal }) => call('GET /api/settings/email-signature', { signal }),
  staleTime: settingsStaleMs,
})

/** Returns the signature for emails that share a link. Empty until loaded. */
export function useEmailSignature(): string {
  return useQuery(emailSignatureQuery).data?.signature ?? ''
}

/**
 * Loads each tier's limits. `currentUserQuery` also returns them, so signed-in users need no
 * separate request for the first 5 minutes. Refetched every 5 minutes so open pages pick up raised
 * limits.
 */
export const limitsQuery = queryOptions({
  queryKey: ['/api/settings/limits'],
  queryFn: ({ signal }): Promise<Limits> => call('GET /api/settings/limits', { signal }),
  staleTime: settingsStaleMs,
  refetchInterval: settingsStaleMs,
})

/**
 * Returns each tier's limits, or the defaults until they are loaded. Wrong defaults are harmless
 * because the server checks every upload.
 */
export function useLimits(): Limits {
  return useQuery(limitsQuery).data ?? defaultLimits
}

const featuresQuery = queryOptions({
  queryKey: ['/api/settings/features'],
  queryFn: ({ signal }) => call('GET /api/settings/features', { signal }),
  staleTime: settingsStaleMs,
})

/** Returns who can use the features that the administrator can turn off. All until loaded. */
export function useFeatures(): CallResponse<'GET /api/settings/features'> {
  return useQuery(featuresQuery).data ?? { requests: 'on', sendByEmail: 'on' }
}

const versionQuery = queryOptions({
  queryKey: ['/api/settings/version'],
  queryFn: ({ signal }) => call('GET /api/settings/version', { signal }),
  staleTime: settingsStaleMs,
})

/** Reloads the public settings, bypassing the browser's cache. */
export async function refreshPublicValues(client: QueryClient): Promise<void> {
  const options = { fresh: true }
  const [price, signature, limits, features, version] = await Promise.all([
    call('GET /api/settings/premium-price', options),
    call('GET /api/settings/email-signature', options),
    call('GET /api/settings/limits', options),
    call('GET /api/settings/features', options),
    call('GET /api/settings/version', options),
  ])
  client.setQueryData(premiumPriceQuery.queryKey, price)
  client.setQueryData(emailSignatureQuery.queryKey, signature)
  client.setQueryData(limitsQuery.queryKey, limits)
  client.setQueryData(featuresQuery.queryKey, features)
  client.setQueryData(versionQuery.queryKey, version)
}

/** Returns the product version for display; undefined until loaded. */
export function useVersion(): string | undefined {
  return useQuery(versionQuery).data?.version
}

/**
 * Returns the support email address; null if this server has none, undefined until loaded. Without
 * an address, users contact the operator through the feedback form.
 */
export function useSupportEmail(): string | null | undefined {
  return useQuery({
    queryKey: ['/api/settings/contact'],
    queryFn: ({ signal }) => call('GET /api/settings/contact', { signal }),
    staleTime: settingsStaleMs,
  }).data?.supportEmail
}

/**
 * How long a page waits for the sign-in methods before it falls back to `fallbackSignInWays`.
 * Rendering without them would cause a layout shift when they arrive.
 */
const signInWaysTimeoutMs = 3000

/**
 * Used if the server doesn't respond. A wrong guess is harmless because the server checks every
 * sign-in.
 */
const fallbackSignInWays: CallResponse<'GET /api/auth/ways'> = {
  google: false,
  signup: 'open',
  sendsMail: true,
}

/** Loads the server's sign-in methods and signup policy. Never fails. */
export const signInWaysQuery = queryOptions({
  queryKey: ['/api/auth/ways'],
  queryFn: ({ signal }) => {
    const signalWithTimeout = AbortSignal.any([signal, AbortSignal.timeout(signInWaysTimeoutMs)])
    return call('GET /api/auth/ways', { signal: signalWithTimeout }).catch(() => fallbackSignInWays)
  },
})

/**
 * Returns whether this server sends email; undefined until loaded. Without a mail server, emails
 * are written to files that only the operator reads, so no page may promise an email.
 */
export function useSendsMail(): boolean | undefined {
  return useQuery(signInWaysQuery).data?.sendsMail
}

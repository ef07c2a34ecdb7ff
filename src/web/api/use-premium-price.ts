import { queryOptions, useQuery } from '@tanstack/react-query'
import { defaultPremiumPrice } from '../../shared/rules/tiers/admin-settings.ts'
import { call } from './call.ts'
import { settingsStaleMs } from './use-version.ts'

export const premiumPriceQuery = queryOptions({
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

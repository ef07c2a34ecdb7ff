import { useQuery } from '@tanstack/react-query'
import { defaultPremiumPrice } from '../../shared/rules/admin-settings.ts'
import { call } from '../api/call.ts'
import { settingsStaleTime } from '../api/use-version.ts'

/** Returns the price of Premium in dollars a month. Spec §2: $8 until the price is known. */
export function usePremiumPrice(): number {
  return (
    useQuery({
      queryKey: ['/api/settings/premium-price'],
      queryFn: ({ signal }) => call('premiumPrice', { signal }),
      staleTime: settingsStaleTime,
    }).data?.price ?? defaultPremiumPrice
  )
}

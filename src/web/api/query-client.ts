import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './call.ts'

/**
 * True for an error that says that the session has ended: its message has the status 401 and the
 * word 'Unauthorized' (spec §4).
 */
export function saysSignedOut(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.message.startsWith('401: ') &&
    error.message.includes('Unauthorized')
  )
}

/**
 * Creates the cache of all data from the server. Spec §9: data is never stale by itself, no refetch
 * on focus, no retry. `onSignedOut` is called for every query and mutation that the server refuses
 * because the session has ended.
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (saysSignedOut(error)) onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: false,
        // Without this, every component that shows a failed query would send it again when it
        // appears.
        retryOnMount: false,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

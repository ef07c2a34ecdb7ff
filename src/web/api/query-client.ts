import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './call.ts'

/**
 * Reports whether an error means that the session has ended: status 401 with the word
 * 'Unauthorized' in the message (spec §4).
 */
export function isSignedOutError(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.message.startsWith('401: ') &&
    error.message.includes('Unauthorized')
  )
}

/**
 * Creates the cache for all server data. Spec §9: data never becomes stale on its own, isn't
 * refetched on focus, and failed requests aren't retried. `onSignedOut` is called for each query
 * and mutation that fails because the session has ended.
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOutError(error)) onSignedOut()
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
        // Otherwise, each newly mounted component that uses a failed query would repeat the
        // request.
        retryOnMount: false,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

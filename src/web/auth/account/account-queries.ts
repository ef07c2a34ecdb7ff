import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'

/** The user's sessions, reloaded whenever the page is opened. */
export const sessionsQuery = queryOptions({
  queryKey: ['/api/auth/sessions'],
  queryFn: ({ signal }) => call('GET /api/auth/sessions', { signal }),
  refetchOnMount: 'always',
})

/** The sign-in methods that the user's account has. */
export const ownSignInWaysQuery = queryOptions({
  queryKey: ['/api/auth/user/ways'],
  queryFn: ({ signal }) => call('GET /api/auth/user/ways', { signal }),
  refetchOnMount: 'always',
})

/** The user's API keys, with when they were last used. */
export const keysQuery = queryOptions({
  queryKey: ['/api/keys'],
  queryFn: ({ signal }) => call('GET /api/keys', { signal }),
  refetchOnMount: 'always',
})

/** How many files, bytes and active links the account has. */
export const holdingsQuery = queryOptions({
  queryKey: ['/api/auth/user/holdings'],
  queryFn: ({ signal }) => call('GET /api/auth/user/holdings', { signal }),
  // Every upload changes the figures.
  refetchOnMount: 'always',
})

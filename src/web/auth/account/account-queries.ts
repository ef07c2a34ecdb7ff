import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'

/** The user's sessions. Each visit reads them again. */
export const sessionsQuery = queryOptions({
  queryKey: ['/api/auth/sessions'],
  queryFn: ({ signal }) => call('listSessions', { signal }),
  refetchOnMount: 'always',
})

/** The ways to sign in to the account. */
export const ownWaysQuery = queryOptions({
  queryKey: ['/api/auth/user/ways'],
  queryFn: ({ signal }) => call('listOwnWays', { signal }),
  refetchOnMount: 'always',
})

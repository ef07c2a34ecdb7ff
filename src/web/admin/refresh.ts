import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { adminWaitingQuery } from '../api/use-admin-waiting.ts'

/**
 * The first parts of query keys. `refreshAfterAct` reloads all queries whose keys begin with them.
 */
export const checksKey = '/api/admin/checks'
export const limitsKey = '/api/admin/limits'
export const usersKey = '/api/admin/users'
export const auditKey = '/api/admin/audit'
export const maintenanceKey = '/api/admin/maintenance'

/**
 * Reloads what an action of the administrator may have changed: the figures, the mark in the
 * header, the checks, the users, the limits with the free space, the audit log, and what the
 * maintenance actions did last.
 */
export function refreshAfterAct(client: QueryClient): void {
  const keys = [
    statsQuery.queryKey,
    adminWaitingQuery.queryKey,
    [checksKey],
    [usersKey],
    [limitsKey],
    [auditKey],
    [maintenanceKey],
  ]
  for (const queryKey of keys) void client.invalidateQueries({ queryKey })
}

/** The query for the figures of the whole server. It loads again each time the page is opened. */
const statsQuery = queryOptions({
  queryKey: ['/api/admin/stats'],
  queryFn: ({ signal }) => call('adminStats', { signal }),
  refetchOnMount: 'always',
})

/** Returns the figures of the whole server. Each visit asks for them anew. */
export function useStats() {
  return useQuery(statsQuery)
}

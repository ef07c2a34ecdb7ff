import type { QueryClient } from '@tanstack/react-query'
import { statsQuery } from './use-stats.ts'

/**
 * The first parts of query keys. `refreshAfterAct` reloads all queries whose keys begin with them.
 */
export const checksKey = '/api/admin/checks'
export const limitsKey = '/api/admin/limits'
export const usersKey = '/api/admin/users'
export const auditKey = '/api/admin/audit'

/**
 * Reloads what an action of the administrator may have changed: the figures, the checks, the users,
 * the limits with the free space, and the audit log.
 */
export function refreshAfterAct(client: QueryClient): void {
  for (const queryKey of [statsQuery.queryKey, [checksKey], [usersKey], [limitsKey], [auditKey]]) {
    void client.invalidateQueries({ queryKey })
  }
}

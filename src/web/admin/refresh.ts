import type { QueryClient } from '@tanstack/react-query'
import { statsQuery } from './use-stats.ts'

/**
 * The query keys of what actions of the administrator change begin with these texts.
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

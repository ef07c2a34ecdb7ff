import type { QueryClient } from '@tanstack/react-query'
import { statsQuery } from './use-stats.ts'

/**
 * The query keys of these lists begin with these texts. Actions of the administrator change the
 * lists.
 */
export const usersKey = '/api/admin/users'
export const auditKey = '/api/admin/audit'

/**
 * Reloads what an action of the administrator may have changed: the figures, the users and the
 * audit log.
 */
export function refreshAfterAct(client: QueryClient): void {
  for (const queryKey of [statsQuery.queryKey, [usersKey], [auditKey]]) {
    void client.invalidateQueries({ queryKey })
  }
}

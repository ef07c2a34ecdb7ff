import type { QueryClient } from '@tanstack/react-query'
import { statsQuery } from './use-stats.ts'

/** The first parts of the query keys of the lists that administrative acts change. */
export const usersKey = '/api/admin/users'
export const auditKey = '/api/admin/audit'

/**
 * Reads again what an administrative act may have changed: the figures, the users and the audit
 * log.
 */
export function refreshAfterAct(client: QueryClient): void {
  for (const queryKey of [statsQuery.queryKey, [usersKey], [auditKey]]) {
    void client.invalidateQueries({ queryKey })
  }
}

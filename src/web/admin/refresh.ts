import type { QueryClient } from '@tanstack/react-query'
import { adminWaitingQuery } from '../api/use-admin-waiting.ts'
import { statsQuery } from './use-stats.ts'

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

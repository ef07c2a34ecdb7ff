import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { AuditAction } from '../../shared/rules/audit-action.ts'
import { callForPage } from '../api/call.ts'
import { pageSize, pagesFrom } from './pages.ts'
import { auditKey } from './refresh.ts'

/** Which lines of the audit log the administrator wants to see. */
export interface AuditFilter {
  /**
   * The whole mail address of a user. The lines are about what this user did, and what others did
   * to this user. Empty for all users.
   */
  user: string
  action: AuditAction | null
}

/** Loads the audit log page by page, newest first. It loads again each time the page is opened. */
export function useAudit({ user, action }: AuditFilter) {
  const wanted = { ...(user && { user }), ...(action && { action }) }
  return useInfiniteQuery({
    queryKey: [auditKey, wanted],
    queryFn: ({ pageParam: cursor, signal }) =>
      callForPage('listAudit', { query: { ...wanted, limit: pageSize, cursor }, signal }),
    ...pagesFrom,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { AuditAction } from '../../shared/rules/audit-action.ts'
import { callForPage } from '../api/call.ts'
import { pageSize, pagesFrom } from './pages.ts'
import { auditKey } from './refresh.ts'

/** Which lines of the audit log are wanted. */
export interface AuditWish {
  /** The whole mail address of a user who did it or underwent it; empty for everybody. */
  user: string
  action: AuditAction | null
}

/** The audit log, newest first, in pages. Each visit reads it again. */
export function useAudit({ user, action }: AuditWish) {
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

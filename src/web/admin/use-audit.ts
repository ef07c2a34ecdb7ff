import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { AuditAction } from '../../shared/rules/accounts/audit-action.ts'
import { callForPage } from '../api/call.ts'
import { endOfLocalDay, startOfLocalDay } from './day-bounds.ts'
import { pageSize, pagesFrom } from './pages.ts'
import { auditKey } from './refresh.ts'

/** Which lines of the audit log the administrator wants to see. */
export interface AuditFilter {
  /**
   * The whole mail address of a user, a link or its code, or an IP address. Empty for all lines.
   */
  search: string
  action: AuditAction | null
  /** The first and the last day of the wanted lines, such as '2026-11-19'. Empty for no bound. */
  firstDay: string
  lastDay: string
}

/** Loads the audit log page by page, newest first. It loads again each time the page is opened. */
export function useAudit({ search, action, firstDay, lastDay }: AuditFilter) {
  const from = startOfLocalDay(firstDay)
  const to = endOfLocalDay(lastDay)
  const wanted = {
    ...(search && { search }),
    ...(action && { action }),
    ...(from && { from: from.toISOString() }),
    ...(to && { to: to.toISOString() }),
  }
  return useInfiniteQuery({
    queryKey: [auditKey, wanted],
    queryFn: ({ pageParam: cursor, signal }) =>
      callForPage('listAudit', { query: { ...wanted, limit: pageSize, cursor }, signal }),
    ...pagesFrom,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { AuditAction } from '../../shared/rules/accounts/audit-action.ts'
import { callForPage } from '../api/call.ts'
import { pageSize, pagesFrom } from './paged-list.tsx'
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

/** No act is older. While a year is being typed, the field already has one such as 0002. */
const firstYear = 1970

/**
 * Returns when a day begins, in the time zone of the browser.
 * @param day such as '2026-11-19'.
 * @returns null for an empty text, and for a year that is still being typed.
 */
export function startOfLocalDay(day: string): Date | null {
  const start = new Date(`${day}T00:00`)
  return start.getFullYear() >= firstYear ? start : null
}

/**
 * Returns when a day is over: when the next one begins.
 * @returns null where `startOfLocalDay` returns null.
 */
export function endOfLocalDay(day: string): Date | null {
  const end = startOfLocalDay(day)
  end?.setDate(end.getDate() + 1)
  return end
}

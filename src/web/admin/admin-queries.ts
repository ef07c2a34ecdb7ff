import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query'
import { type CallInput, call, callForPage } from '../api/call.ts'
import { failureText } from '../api/failure-text.ts'
import { adminKey, pendingWorkQuery } from '../api/pending-work.ts'
import { showFailure } from '../api/show-failure.ts'
import { cursorPagingOptions, pageSize } from '../ui/paged-list.tsx'

/** Refetches whenever the page is opened, because other users change this data. */
const alwaysRefetchOptions = { refetchOnMount: 'always' } as const

export const statsQuery = queryOptions({
  queryKey: [adminKey, 'stats'],
  queryFn: ({ signal }) => call('GET /api/admin/stats', { signal }),
  ...alwaysRefetchOptions,
})

export const checksQuery = queryOptions({
  queryKey: [adminKey, 'checks'],
  queryFn: async ({ client, signal }) => {
    const checks = await call('GET /api/admin/checks', { signal })
    const failingChecks = checks.filter(({ status }) => status === 'failing').length
    client.setQueryData(
      pendingWorkQuery.queryKey,
      (cachedCounts) => cachedCounts && { ...cachedCounts, failingChecks },
    )
    return checks
  },
  ...alwaysRefetchOptions,
})

/** Users who match `search`, or the newest users if it is empty. */
export function usersQuery(search: string) {
  return queryOptions({
    queryKey: [adminKey, 'users', search],
    queryFn: ({ signal }) =>
      call('GET /api/admin/users', { query: search ? { search } : {}, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

/** The newest audit log entry for each maintenance action. */
export const maintenanceQuery = queryOptions({
  queryKey: [adminKey, 'maintenance'],
  queryFn: ({ signal }) => call('GET /api/admin/maintenance', { signal }),
  ...alwaysRefetchOptions,
})

/** Open reports, with the most recently reported file first. */
export const reportsQuery = infiniteQueryOptions({
  queryKey: [adminKey, 'reports'],
  queryFn: ({ pageParam: cursor, signal }) =>
    callForPage('GET /api/admin/reports', { query: { limit: pageSize, cursor }, signal }),
  ...cursorPagingOptions,
  ...alwaysRefetchOptions,
})

/** Everybody's requests, newest first. */
export const requestsQuery = infiniteQueryOptions({
  queryKey: [adminKey, 'requests'],
  queryFn: ({ pageParam: cursor, signal }) =>
    callForPage('GET /api/admin/requests', { query: { limit: pageSize, cursor }, signal }),
  ...cursorPagingOptions,
  ...alwaysRefetchOptions,
})

export const settingsQuery = queryOptions({
  queryKey: [adminKey, 'settings'],
  queryFn: async ({ signal }) => (await call('GET /api/admin/settings', { signal })).values,
  ...alwaysRefetchOptions,
})

/** Limits, caps and current usage. */
export const limitSettingsQuery = queryOptions({
  queryKey: [adminKey, 'limits'],
  queryFn: ({ signal }) => call('GET /api/admin/limits', { signal }),
  ...alwaysRefetchOptions,
})

export const feedbackQuery = infiniteQueryOptions({
  queryKey: [adminKey, 'feedback'],
  queryFn: ({ pageParam: cursor, signal }) =>
    callForPage('GET /api/admin/feedback', { query: { limit: pageSize, cursor }, signal }),
  ...cursorPagingOptions,
  ...alwaysRefetchOptions,
})

/** Audit log entries that match a filter, newest first. */
export function auditQuery(filter: CallInput<'GET /api/admin/audit'>['query']) {
  return infiniteQueryOptions({
    queryKey: [adminKey, 'audit', filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      callForPage('GET /api/admin/audit', {
        query: { ...filter, limit: pageSize, cursor },
        signal,
      }),
    ...cursorPagingOptions,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

/** Reloads all data in the Admin Center, including its badge counts. */
export function refreshAdminData(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: [adminKey] })
}

/** Returns the error message for a failed admin call. */
export function adminErrorText(error: unknown): string {
  return failureText(error, 'The server gave no reason. See its log.')
}

/**
 * Shows a toast for a failed admin action, then reloads all data, because a change in another
 * window may have caused the failure.
 */
export function showAdminFailure(client: QueryClient, error: unknown, title: string): void {
  showFailure(error, title, adminErrorText(error))
  void refreshAdminData(client)
}

import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useMutationState,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { FileCounts, File as StoredFile } from '../../shared/contract/files.ts'
import {
  type FileOrder,
  formatOrder,
  longestFilePage,
  newestFirst,
} from '../../shared/rules/files/file-order.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { call, callForPage } from '../api/call.ts'
import { linkFacts } from './link-facts.ts'
import {
  filesOf,
  joinNewest,
  joinNext,
  type ListedFiles,
  newestOnly,
  nextOf,
  withStored,
} from './listed-files.ts'

/** How many files one request usually reads. It reads more when somebody scrolls far. */
const pageSize = 100

/** The list of all files of the user, newest first. */
const allFiles: ListView = { search: '', order: newestFirst }

/** The first part of the query key of every list of files. */
const lists = '/api/files'

/**
 * The mutation key of the deletion of a single file. Such a file leaves the lists immediately when
 * its deletion begins. Files that are deleted together leave when the server has answered.
 */
export const deleteKey = ['DELETE /api/files']

/** Which of the user's files a list has, and in which order. */
export interface ListView {
  search: string
  order: FileOrder
  /** `soon`: only files whose links end within 24 hours. */
  expiring?: 'soon' | undefined
}

/** Returns which files a list has, as a text. It is the same in every order. */
export function searchOf({ search, expiring }: ListView): string {
  return `${expiring ?? ''} ${search}`
}

function listQuery(view: ListView) {
  const { search, order, expiring } = view
  const sort = formatOrder(order)
  const isGrowing = sort === formatOrder(newestFirst) && expiring === undefined
  return queryOptions({
    queryKey: [lists, { search, sort, ...(expiring && { expiring }) }],
    // Which links end soon changes with time. So these files are read again when they are shown.
    ...(expiring && { refetchOnMount: 'always' as const }),
    queryFn: async ({ client, queryKey, signal }): Promise<ListedFiles> => {
      const known = client.getQueryData<ListedFiles>(queryKey)
      if (isGrowing) {
        // This reads only the newest page. The known older files are kept.
        const query = wanted(view, pageSize)
        return joinNewest(known, await callForPage('listFiles', { query, signal }))
      }
      // In any other list a changed file can be anywhere, so all known pages are read again.
      const query = wanted(view, pageLimit(known ? filesOf(known).length : 0))
      return { pages: [await callForPage('listFiles', { query, signal })] }
    },
  })
}

const countsQuery = queryOptions({
  queryKey: ['/api/files/summary'],
  queryFn: ({ signal }) => call('countFiles', { signal }),
  // Links expire without any call of this page, so the counts are read again every minute.
  refetchInterval: 60_000,
})

function wanted({ search, order, expiring }: ListView, limit: number, cursor?: string) {
  const sort = formatOrder(order)
  const which = { ...(search && { search }), ...(expiring && { expiring }) }
  return { limit, sort, ...which, ...(cursor && { cursor }) }
}

/** Returns the `limit` of a request that should load `missing` more files. */
function pageLimit(missing: number): number {
  return Math.min(longestFilePage, Math.max(pageSize, missing))
}

/** Reads all lists of files and the counts again. */
export function refreshFiles(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: [lists] })
  void client.invalidateQueries({ queryKey: countsQuery.queryKey })
}

/**
 * Reads the lists and the counts again whenever the person comes back to this page, because
 * something may have changed them in another browser. Several signs of coming back cause one
 * request.
 */
export function useRefreshOnReturn(): void {
  const client = useQueryClient()
  useEffect(() => {
    const refresh = () => {
      const isAsking = client.isFetching({ queryKey: [lists] }) > 0
      if (document.visibilityState === 'visible' && !isAsking) refreshFiles(client)
    }
    window.addEventListener('focus', refresh)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      window.removeEventListener('focus', refresh)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [client])
}

/** Changes the known part of every list of files, for instance after a deletion. */
export function changeLists(
  client: QueryClient,
  change: (known: ListedFiles) => ListedFiles,
): void {
  client.setQueriesData<ListedFiles>({ queryKey: [lists] }, (known) => known && change(known))
}

/** Puts new files on top of the list immediately, and reads all lists again. */
export function addStored(client: QueryClient, stored: readonly StoredFile[]): void {
  client.setQueryData(listQuery(allFiles).queryKey, (known) => known && withStored(known, stored))
  refreshFiles(client)
}

/** Reads the list again from its beginning. Meanwhile only its newest page is shown. */
export function reopenFiles(client: QueryClient): void {
  changeLists(client, newestOnly)
  refreshFiles(client)
}

/**
 * Returns the files of a list that the browser has loaded, without those that are being deleted one
 * by one (see `deleteKey`). The row of such a file disappears when its deletion is requested. It
 * comes back only if the deletion fails, even if the list is read again in between. While a new
 * search or order is being loaded, the files of the previous one are returned.
 */
export function useFiles(view: ListView = allFiles) {
  const { data, isError, isFetching, isPlaceholderData, refetch } = useQuery({
    ...listQuery(view),
    placeholderData: keepPreviousData,
  })
  const leaving = useMutationState({
    filters: { mutationKey: deleteKey, status: 'pending' },
    select: ({ state }) => (state.variables as StoredFile).id,
  })
  const files = useMemo(() => {
    const known = data && filesOf(data)
    return leaving.length === 0 ? known : known?.filter(({ id }) => !leaving.includes(id))
  }, [data, leaving])
  return {
    files,
    /** True if the list has more files than the browser knows. */
    hasMore: data !== undefined && nextOf(data) !== null,
    /** True while `files` are still those of the previous search or order. */
    isOutdated: isPlaceholderData,
    isError,
    isFetching,
    refetch,
  }
}

/**
 * Returns a function that reads more pages until the list is known up to an index. Also returns
 * whether its last request failed. After a failure the function does nothing until `retry` is
 * called.
 */
export function useMoreFiles(view: ListView) {
  const client = useQueryClient()
  const { mutate, reset, isPending, isError } = useMutation({
    mutationFn: ({ view, limit, cursor }: { view: ListView; limit: number; cursor: string }) =>
      callForPage('listFiles', { query: wanted(view, limit, cursor) }),
    onSuccess: (page, { view, cursor }) =>
      client.setQueryData(
        listQuery(view).queryKey,
        (known) => known && joinNext(known, cursor, page),
      ),
  })
  const readUntil = (place: number) => {
    const known = client.getQueryData(listQuery(view).queryKey)
    const cursor = known && nextOf(known)
    if (!cursor || isPending || isError) return
    mutate({ view, limit: pageLimit(place + 1 - filesOf(known).length), cursor })
  }
  return { readUntil, isError, retry: reset }
}

/** Reads a list to its end and returns all of its files. Each thousand files need one request. */
export async function readToEnd(
  client: QueryClient,
  view: ListView,
): Promise<readonly StoredFile[]> {
  const { queryKey } = listQuery(view)
  for (;;) {
    const known = await client.ensureQueryData(listQuery(view))
    const cursor = nextOf(known)
    if (cursor === null) return filesOf(known)
    const query = wanted(view, longestFilePage, cursor)
    const page = await callForPage('listFiles', { query })
    client.setQueryData(queryKey, (known) => known && joinNext(known, cursor, page))
  }
}

/** Returns how many of the user's files have each status. The server is asked only if `enabled`. */
export function useCountedFiles(enabled: boolean) {
  return useQuery({ ...countsQuery, enabled }).data
}

export interface KnownFiles {
  files: readonly StoredFile[] | undefined
  hasMore: boolean
}

/**
 * Returns how many of the user's files have each status at `now`; undefined until this is known. If
 * the browser has loaded the whole list, it counts the files itself, so that the numbers change
 * together with the labels. Otherwise it asks the server.
 */
export function useFileCounts(known: KnownFiles, tier: Tier, now: Date): FileCounts | undefined {
  const { files, hasMore } = known
  const counted = useCountedFiles(hasMore)
  const own = useMemo(() => {
    const counts: FileCounts = { active: 0, private: 0, deleted: 0 }
    for (const file of files ?? []) counts[linkStatus(linkFacts(file), tier, now)] += 1
    return counts
  }, [files, tier, now])
  if (hasMore) return counted
  return files && own
}

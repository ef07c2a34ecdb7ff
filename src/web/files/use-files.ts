import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutationState,
  useQuery,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { FileCounts, File as StoredFile } from '../../shared/contract/files.ts'
import {
  type FileOrder,
  formatOrder,
  maxFilePageSize,
  newestFirst,
} from '../../shared/rules/files/file-order.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { call, callForPage } from '../api/call.ts'
import { linkDates } from './link-dates.ts'

/** The size of a list's first page. Later pages have the maximum size. */
const firstPageSize = 100

/** All of the user's files, newest first. */
export const allFiles: ListView = { search: '', order: newestFirst }

/** The query key prefix for all file lists. */
const listsKey = '/api/files'

/**
 * The mutation key for deleting a single file. The lists hide that file immediately. Files in a
 * bulk deletion stay visible until the server has responded.
 */
export const deleteMutationKey = ['DELETE /api/files']

/** Determines which files a list contains, and in what order. */
export interface ListView {
  search: string
  order: FileOrder
  /** If 'soon', the list contains only files whose links expire within 24 hours. */
  expiring?: 'soon' | undefined
}

interface FilePage {
  items: readonly StoredFile[]
  /** The cursor for the next page; null on the last page. */
  next: string | null
  /** Identifies the search, regardless of sort order. */
  searchKey: string
}

type ListedFiles = InfiniteData<FilePage, string>

function listQuery({ search, order, expiring }: ListView) {
  const listInput = {
    sort: formatOrder(order),
    ...(search && { search }),
    ...(expiring && { expiring }),
  }
  return infiniteQueryOptions({
    queryKey: [listsKey, listInput],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }): Promise<FilePage> => {
      const limit = pageParam === '' ? firstPageSize : maxFilePageSize
      const query = { limit, ...listInput, ...(pageParam && { cursor: pageParam }) }
      const page = await callForPage('listFiles', { query, signal })
      return { ...page, searchKey: `${expiring ?? ''} ${search}` }
    },
    getNextPageParam: ({ next }) => next,
    // Which links expire soon depends on the current time, so cached results may be outdated.
    ...(expiring && { refetchOnMount: 'always' as const }),
  })
}

const countsQuery = queryOptions({
  queryKey: ['/api/files/summary'],
  queryFn: ({ signal }) => call('countFiles', { signal }),
  // Links expire without any action on this page, so refetch regularly.
  refetchInterval: 60_000,
})

/** Reloads all file lists and counts. */
export function refreshFiles(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: [listsKey] })
  void client.invalidateQueries({ queryKey: countsQuery.queryKey })
}

/** Drops all but the first page of each list, then reloads the lists. */
export function resetFileLists(client: QueryClient): void {
  changeLists(client, ({ pages, pageParams }) => ({
    pages: pages.slice(0, 1),
    pageParams: pageParams.slice(0, 1),
  }))
  refreshFiles(client)
}

function changeLists(client: QueryClient, change: (list: ListedFiles) => ListedFiles): void {
  client.setQueriesData<ListedFiles>({ queryKey: [listsKey] }, (list) => list && change(list))
}

/** Updates the files in every loaded list, for example after a deletion. */
export function changeFiles(
  client: QueryClient,
  change: (files: readonly StoredFile[]) => readonly StoredFile[],
): void {
  changeLists(client, (list) => ({
    ...list,
    pages: list.pages.map((page) => ({ ...page, items: change(page.items) })),
  }))
}

function flattenPages({ pages }: { pages: readonly FilePage[] }): readonly StoredFile[] {
  return pages.flatMap(({ items }) => items)
}

/**
 * Returns a list's loaded files without those being deleted individually (see
 * `deleteMutationKey`), which reappear only if the deletion fails. While a new search or order
 * loads, returns the previous files.
 */
export function useFiles(view = allFiles, options: { refetchOnWindowFocus?: 'always' } = {}) {
  const { data, ...query } = useInfiniteQuery({
    ...listQuery(view),
    placeholderData: keepPreviousData,
    ...options,
  })
  const deletingIds = useMutationState({
    filters: { mutationKey: deleteMutationKey, status: 'pending' },
    select: ({ state }) => (state.variables as StoredFile).id,
  })
  const files = useMemo(() => {
    const loadedFiles = data && flattenPages(data)
    return deletingIds.length === 0
      ? loadedFiles
      : loadedFiles?.filter(({ id }) => !deletingIds.includes(id))
  }, [data, deletingIds])
  return {
    files,
    /** Identifies the search that found `files`. */
    searchKey: data?.pages[0]?.searchKey ?? '',
    /** True if there are more files than are loaded. */
    hasMore: query.hasNextPage,
    /** True while `files` are the results of the previous search or order. */
    isOutdated: query.isPlaceholderData,
    data,
    isError: query.isError,
    isFetching: query.isFetching,
    refetch: query.refetch,
    /** True if the next page failed to load. */
    isMoreError: query.isFetchNextPageError,
    loadMore: query.fetchNextPage,
  }
}

/** Loads the whole list. Returns its files and the search key. */
export async function loadAll(client: QueryClient, view: ListView) {
  for (;;) {
    // If the list is already loading, this call waits for the request in progress.
    const list = await client.fetchInfiniteQuery({
      ...listQuery(view),
      staleTime: 0,
      pages: Number.MAX_SAFE_INTEGER,
    })
    const lastPage = list.pages.at(-1)
    if (lastPage?.next === null) return { files: flattenPages(list), searchKey: lastPage.searchKey }
  }
}

/**
 * Returns how many of the user's files have each status at `now`; undefined until known. If the
 * whole list is loaded, counts locally so that the numbers and the labels change at the same time.
 */
export function useFileCounts(
  { files, hasMore }: Pick<ReturnType<typeof useFiles>, 'files' | 'hasMore'>,
  tier: Tier,
  now: Date,
): FileCounts | undefined {
  const { data: serverCounts } = useQuery({ ...countsQuery, enabled: hasMore })
  const localCounts = useMemo(() => {
    const counts: FileCounts = { active: 0, private: 0, deleted: 0 }
    for (const file of files ?? []) counts[linkStatus(linkDates(file), tier, now)] += 1
    return counts
  }, [files, tier, now])
  if (hasMore) return serverCounts
  return files && localCounts
}

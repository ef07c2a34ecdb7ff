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
  longestFilePage,
  newestFirst,
} from '../../shared/rules/files/file-order.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { call, callForPage } from '../api/call.ts'
import { linkFacts } from './link-facts.ts'

/** How many files the first page of a list has. Further pages are as large as possible. */
const firstPageSize = 100

/** The list of all files of the user, newest first. */
export const allFiles: ListView = { search: '', order: newestFirst }

/** The first part of the query key of every list of files. */
const lists = '/api/files'

/**
 * The mutation key for deleting a single file, which leaves the lists as soon as its deletion
 * begins. Files that are deleted together leave after the server has answered.
 */
export const deleteKey = ['DELETE /api/files']

/** Which of the user's files a list has, and in which order. */
export interface ListView {
  search: string
  order: FileOrder
  /** `soon`: only files whose links end within 24 hours. */
  expiring?: 'soon' | undefined
}

interface FilePage {
  items: readonly StoredFile[]
  /** The cursor of the next page; null on the last one. */
  next: string | null
  /** Identifies the search: equal for the same files in another order. */
  searchKey: string
}

type ListedFiles = InfiniteData<FilePage, string>

function listQuery({ search, order, expiring }: ListView) {
  const which = {
    sort: formatOrder(order),
    ...(search && { search }),
    ...(expiring && { expiring }),
  }
  return infiniteQueryOptions({
    queryKey: [lists, which],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }): Promise<FilePage> => {
      const limit = pageParam === '' ? firstPageSize : longestFilePage
      const query = { limit, ...which, ...(pageParam && { cursor: pageParam }) }
      const page = await callForPage('listFiles', { query, signal })
      return { ...page, searchKey: `${expiring ?? ''} ${search}` }
    },
    getNextPageParam: ({ next }) => next,
    // Which links end soon changes with time.
    ...(expiring && { refetchOnMount: 'always' as const }),
  })
}

const countsQuery = queryOptions({
  queryKey: ['/api/files/summary'],
  queryFn: ({ signal }) => call('countFiles', { signal }),
  // Links expire without any call of this page.
  refetchInterval: 60_000,
})

/** Reads all lists of files and the counts again. */
export function refreshFiles(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: [lists] })
  void client.invalidateQueries({ queryKey: countsQuery.queryKey })
}

/** Reads the lists again from their beginning. Meanwhile only their first page is shown. */
export function reopenFiles(client: QueryClient): void {
  changeLists(client, ({ pages, pageParams }) => ({
    pages: pages.slice(0, 1),
    pageParams: pageParams.slice(0, 1),
  }))
  refreshFiles(client)
}

function changeLists(client: QueryClient, change: (list: ListedFiles) => ListedFiles): void {
  client.setQueriesData<ListedFiles>({ queryKey: [lists] }, (list) => list && change(list))
}

/** Changes the files of every loaded list, for instance after a deletion. */
export function changeFiles(
  client: QueryClient,
  change: (files: readonly StoredFile[]) => readonly StoredFile[],
): void {
  changeLists(client, (list) => ({
    ...list,
    pages: list.pages.map((page) => ({ ...page, items: change(page.items) })),
  }))
}

function filesOf({ pages }: { pages: readonly FilePage[] }): readonly StoredFile[] {
  return pages.flatMap(({ items }) => items)
}

/**
 * Returns the loaded files of a list, without those that are being deleted one by one (see
 * `deleteKey`): a file comes back only if its deletion fails. While a new search or order is
 * loading, returns the files of the previous one.
 */
export function useFiles(view = allFiles, options: { refetchOnWindowFocus?: 'always' } = {}) {
  const { data, ...query } = useInfiniteQuery({
    ...listQuery(view),
    placeholderData: keepPreviousData,
    ...options,
  })
  const deleting = useMutationState({
    filters: { mutationKey: deleteKey, status: 'pending' },
    select: ({ state }) => (state.variables as StoredFile).id,
  })
  const files = useMemo(() => {
    const loaded = data && filesOf(data)
    return deleting.length === 0 ? loaded : loaded?.filter(({ id }) => !deleting.includes(id))
  }, [data, deleting])
  return {
    files,
    /** Identifies the search to which `files` belong. */
    searchKey: data?.pages[0]?.searchKey ?? '',
    /** True if the list has more files than are loaded. */
    hasMore: query.hasNextPage,
    /** True while `files` are still those of the previous search or order. */
    isOutdated: query.isPlaceholderData,
    /** As other queries: see `useQuery`. */
    data,
    isError: query.isError,
    isFetching: query.isFetching,
    refetch: query.refetch,
    /** True if the next page could not be loaded. */
    isMoreError: query.isFetchNextPageError,
    loadMore: query.fetchNextPage,
  }
}

/** Loads a list to its end. Returns all of its files, and the key of its search. */
export async function loadAll(client: QueryClient, view: ListView) {
  for (;;) {
    // If the list is being loaded already, this returns what that request loads.
    const list = await client.fetchInfiniteQuery({
      ...listQuery(view),
      staleTime: 0,
      pages: Number.MAX_SAFE_INTEGER,
    })
    const last = list.pages.at(-1)
    if (last?.next === null) return { files: filesOf(list), searchKey: last.searchKey }
  }
}

/**
 * Returns how many of the user's files have each status at `now`; undefined until known. Counts the
 * files itself if the whole list is loaded, so that the numbers change together with the labels.
 */
export function useFileCounts(
  { files, hasMore }: Pick<ReturnType<typeof useFiles>, 'files' | 'hasMore'>,
  tier: Tier,
  now: Date,
): FileCounts | undefined {
  const { data: counted } = useQuery({ ...countsQuery, enabled: hasMore })
  const own = useMemo(() => {
    const counts: FileCounts = { active: 0, private: 0, deleted: 0 }
    for (const file of files ?? []) counts[linkStatus(linkFacts(file), tier, now)] += 1
    return counts
  }, [files, tier, now])
  if (hasMore) return counted
  return files && own
}

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
import type { FileCounts } from '../../shared/contract/files.ts'
import type { LinkFile } from '../../shared/contract/links.ts'
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
import { type ListedLink, toListedLink } from './listed-link.ts'

/** The size of a list's first page. Later pages have the maximum size. */
const firstPageSize = 100

/** All of the user's links, newest first. */
export const allLinks: ListView = { search: '', order: newestFirst }

/** The query key prefix for all lists of links. */
const listsKey = '/api/links'

/** How often what a request received is reloaded, in search of new deliveries. */
const deliveryIntervalMs = 15_000

/** How often a list with links that are being uploaded is reloaded. */
const progressIntervalMs = 5000

/**
 * The mutation key for deleting a single link or file. The lists hide a link immediately. Links in
 * a bulk deletion stay visible until the server has responded.
 */
export const deleteMutationKey = ['DELETE /api/links']

/** A link to delete, or one of its files. */
export interface Deletion {
  link: ListedLink
  file?: LinkFile
}

/** Determines which links a list contains, and in what order. */
export interface ListView {
  search: string
  order: FileOrder
  /** If 'soon', the list contains only links that expire within 24 hours. */
  expiring?: 'soon' | undefined
  /** If set, the list contains only links that this request received. */
  requestId?: string | undefined
}

interface LinkPage {
  items: readonly ListedLink[]
  /** The cursor for the next page; null on the last page. */
  next: string | null
  /** Identifies the search, regardless of sort order. */
  searchKey: string
}

type ListedLinks = InfiniteData<LinkPage, string>

function listQuery({ search, order, expiring, requestId }: ListView) {
  const listInput = {
    sort: formatOrder(order),
    ...(search && { search }),
    ...(expiring && { expiring }),
    ...(requestId && { requestId }),
  }
  return infiniteQueryOptions({
    queryKey: [listsKey, listInput],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }): Promise<LinkPage> => {
      const limit = pageParam === '' ? firstPageSize : maxFilePageSize
      const query = { limit, ...listInput, ...(pageParam && { cursor: pageParam }) }
      const page = await callForPage('GET /api/links', { query, signal })
      const items = page.items.map(toListedLink)
      return { items, next: page.next, searchKey: `${expiring ?? ''} ${search}` }
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some((link) => link.state === 'uploading'))
        ? progressIntervalMs
        : requestId
          ? deliveryIntervalMs
          : false,
    // Which links expire soon depends on the current time, so cached results may be outdated.
    ...(expiring && { refetchOnMount: 'always' as const }),
  })
}

const countsQuery = queryOptions({
  queryKey: ['/api/files/summary'],
  queryFn: ({ signal }) => call('GET /api/files/summary', { signal }),
  // Links expire without any action on this page, so refetch regularly.
  refetchInterval: 60_000,
})

/** Reloads all lists and counts, also the counts of what requests have received. */
export function refreshLinks(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ['/api/requests'] })
  void client.invalidateQueries({ queryKey: [listsKey] })
  void client.invalidateQueries({ queryKey: countsQuery.queryKey })
}

/** Drops all but the first page of each list, then reloads the lists. */
export function resetLinkLists(client: QueryClient): void {
  changeLists(client, ({ pages, pageParams }) => ({
    pages: pages.slice(0, 1),
    pageParams: pageParams.slice(0, 1),
  }))
  refreshLinks(client)
}

function changeLists(client: QueryClient, change: (list: ListedLinks) => ListedLinks): void {
  client.setQueriesData<ListedLinks>({ queryKey: [listsKey] }, (list) => list && change(list))
}

/** Updates the links in every loaded list, for example after a deletion. */
export function changeLinks(
  client: QueryClient,
  change: (links: readonly ListedLink[]) => readonly ListedLink[],
): void {
  changeLists(client, (list) => ({
    ...list,
    pages: list.pages.map((page) => ({ ...page, items: change(page.items) })),
  }))
}

function flattenPages({ pages }: { pages: readonly LinkPage[] }): readonly ListedLink[] {
  return pages.flatMap(({ items }) => items)
}

/**
 * Returns a list's loaded links without those being deleted individually (see
 * `deleteMutationKey`), which reappear only if the deletion fails. While a new search or order
 * loads, returns the previous links as placeholders.
 */
export function useLinks(view = allLinks, options: { refetchOnWindowFocus?: 'always' } = {}) {
  const { data, ...query } = useInfiniteQuery({
    ...listQuery(view),
    placeholderData: keepPreviousData,
    ...options,
  })
  const deletingIds = useMutationState({
    filters: { mutationKey: deleteMutationKey, status: 'pending' },
    select: ({ state }) => {
      const { link, file } = state.variables as Deletion
      return file ? undefined : link.id
    },
  })
  const links = useMemo(() => {
    const loadedLinks = data && flattenPages(data)
    return deletingIds.length === 0
      ? loadedLinks
      : loadedLinks?.filter(({ id }) => !deletingIds.includes(id))
  }, [data, deletingIds])
  return {
    ...query,
    data,
    links,
    /** Identifies the search that found `links`. */
    searchKey: data?.pages[0]?.searchKey ?? '',
  }
}

/** Loads the whole list. Returns its links and the search key. */
export async function loadAll(client: QueryClient, view: ListView) {
  for (;;) {
    // If the list is already loading, this call waits for the request in progress.
    const list = await client.fetchInfiniteQuery({
      ...listQuery(view),
      staleTime: 0,
      pages: Number.MAX_SAFE_INTEGER,
    })
    const lastPage = list.pages.at(-1)
    if (lastPage?.next === null) return { links: flattenPages(list), searchKey: lastPage.searchKey }
  }
}

/**
 * Returns how many of the user's files and links have each status at `now`; undefined until known.
 * If the whole list is loaded, counts locally so that the numbers and the labels change at the same
 * time.
 */
export function useLinkCounts(
  { links, hasNextPage }: Pick<ReturnType<typeof useLinks>, 'links' | 'hasNextPage'>,
  tier: Tier,
  now: Date,
): FileCounts | undefined {
  const { data: serverCounts } = useQuery({ ...countsQuery, enabled: hasNextPage })
  const localCounts = useMemo(() => {
    const counts: FileCounts = {
      files: { active: 0, private: 0, deleted: 0 },
      links: { active: 0, private: 0, deleted: 0 },
    }
    for (const link of links ?? []) {
      const dates = linkDates(link)
      counts.links[linkStatus(dates, tier, now)] += 1
      for (const { state, purgingAt } of link.files) {
        if (state === 'uploading') continue
        const status = purgingAt === null ? linkStatus(dates, tier, now) : 'deleted'
        counts.files[status] += 1
      }
    }
    return counts
  }, [links, tier, now])
  if (hasNextPage) return serverCounts
  return links && localCounts
}

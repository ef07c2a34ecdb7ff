// @vitest-environment happy-dom
import { act, fireEvent } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { linkFile, listedLink } from '../../../tests/support/upload-fixtures.ts'
import {
  delayedResponse,
  errorResponse,
  openPage,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import { newestFirst, parseOrder } from '../../shared/rules/files/file-order.ts'
import type { ListedLink } from './listed-link.ts'
import {
  allLinks,
  changeLinks,
  deleteMutationKey,
  type ListView,
  loadAll,
  refreshLinks,
  resetLinkLists,
  useLinkCounts,
  useLinks,
} from './use-links.ts'

const sortedBySize: ListView = { search: '', order: parseOrder('-size') }

let page: WebPage
let links: ListedLink[]
const none = { active: 0, private: 0, deleted: 0 }
const serverCounts = { files: { ...none, active: 7 }, links: { ...none, active: 5 } }
beforeEach(() => {
  page = openPage()
  page.on('GET /api/links', ({ query }) => respondWithPage(query))
  page.on('GET /api/files/summary', () => serverCounts)
  links = makeLinks(250)
})
afterEach(() => page.close())

/**
 * Creates `count` links, newest first, with consecutive numbers as names. `from` is the oldest
 * link's number.
 */
function makeLinks(count: number, from = 0): ListedLink[] {
  return Array.from({ length: count }, (_, n) => {
    const number = from + count - 1 - n
    const createdAt = new Date(Date.parse('2030-01-01T00:00:00Z') + number * 1000).toISOString()
    const files = [linkFile({ name: `${number}.txt` })]
    return listedLink({ id: `link-${number}`, files, createdAt })
  })
}

/**
 * Returns a page of the list, as the server does. The cursor is the id of the last link on the
 * previous page.
 */
function respondWithPage({ limit, cursor, search = '' }: Record<string, string>): Response {
  const matchingLinks = links.filter(({ name }) => name.includes(search))
  const start = cursor === undefined ? 0 : matchingLinks.findIndex(({ id }) => id === cursor) + 1
  const items = matchingLinks.slice(start, start + Number(limit))
  const lastItem = items.at(-1)
  const isLast = start + items.length >= matchingLinks.length
  return Response.json(items, {
    headers: lastItem && !isLast ? { 'x-next-cursor': lastItem.id } : {},
  })
}

/** Returns the query parameters of all list requests since the previous call. */
function takeListQueries(): Record<string, string>[] {
  return page.requests
    .splice(0)
    .filter(({ call }) => call === 'GET /api/links')
    .map(({ query }) => query)
}

async function openList(view: ListView = allLinks) {
  const hook = page.run(
    ({ view }: { view: ListView }) => useLinks(view, { refetchOnWindowFocus: 'always' }),
    { view },
  )
  await expect.poll(() => hook.result.current.links).toBeDefined()
  return {
    now: () => hook.result.current,
    view: (next: ListView) => hook.rerender({ view: next }),
  }
}

describe('a list', () => {
  test('starts with 100 links and reports that there are more', async () => {
    const { now } = await openList()
    expect(takeListQueries()).toEqual([{ limit: '100', sort: '-date' }])
    expect(now().links).toHaveLength(100)
    expect(now()).toMatchObject({ hasNextPage: true, isPlaceholderData: false, isError: false })
  })

  test('with 100 links is complete', async () => {
    links = makeLinks(100)
    expect((await openList()).now()).toMatchObject({ hasNextPage: false })
  })

  test('shows the previous results as outdated until a new search has loaded', async () => {
    const { now, view } = await openList()
    takeListQueries()
    const { respond: response, resolve } = delayedResponse()
    page.on('GET /api/links', response)
    view({ search: '24', order: newestFirst })
    expect(now()).toMatchObject({ isPlaceholderData: true })
    expect(now().links).toHaveLength(100)
    expect(takeListQueries()).toEqual([{ limit: '100', sort: '-date', search: '24' }])
    await act(async () => resolve([links[5]]))
    await expect.poll(() => now().isPlaceholderData).toBe(false)
    expect(now().links).toEqual([links[5]])
  })

  test('reports a failed load', async () => {
    page.on('GET /api/links', () => errorResponse(500))
    const hook = page.run(() => useLinks())
    await expect.poll(() => hook.result.current.isError).toBe(true)
    expect(hook.result.current.links).toBeUndefined()
  })

  test('hides a link during its deletion, even if the list is reloaded', async () => {
    const { now } = await openList()
    const [first] = links as [ListedLink]
    const { respond: response, resolve } = delayedResponse()
    const deletionMutation = page.client
      .getMutationCache()
      .build(page.client, { mutationKey: deleteMutationKey, mutationFn: response })
      .execute({ link: first })
    await expect.poll(() => now().links).toHaveLength(99)
    takeListQueries()
    act(() => refreshLinks(page.client))
    await expect.poll(() => now().isFetching).toBe(false)
    expect(takeListQueries()).toHaveLength(1)
    expect(now().links).toHaveLength(99)
    resolve(null)
    await deletionMutation
    await expect.poll(() => now().links).toHaveLength(100)
  })
})

test('reloads the list when the user returns to the page', async () => {
  links = makeLinks(2)
  const { now } = await openList()
  links = makeLinks(3)
  fireEvent(window, new Event('visibilitychange'))
  await expect.poll(() => now().links).toHaveLength(3)
})

describe('loading more', () => {
  test('uses pages of 1,000 links', async () => {
    links = makeLinks(1500)
    const { now } = await openList()
    takeListQueries()
    for (const expectedCount of [1100, 1500]) {
      await act(() => now().fetchNextPage())
      await expect.poll(() => now().links).toHaveLength(expectedCount)
      expect(takeListQueries()).toMatchObject([{ limit: '1000', cursor: expect.any(String) }])
    }
    expect(now().hasNextPage).toBe(false)
  })

  test('can be retried after a failure', async () => {
    const { now } = await openList()
    page.on('GET /api/links', () => errorResponse(503))
    await act(() => now().fetchNextPage())
    await expect.poll(() => now().isFetchNextPageError).toBe(true)
    expect(now().links).toHaveLength(100)
    page.on('GET /api/links', ({ query }) => respondWithPage(query))
    await act(() => now().fetchNextPage())
    await expect.poll(() => now().links).toHaveLength(250)
    expect(now().isFetchNextPageError).toBe(false)
  })

  test('takes one request per 1,000 links to reach the end', async () => {
    links = makeLinks(2150)
    const fullList = await loadAll(page.client, allLinks)
    expect(fullList.links.map(({ id }) => id)).toEqual(links.map(({ id }) => id))
    expect(takeListQueries().map(({ limit }) => limit)).toEqual(['100', '1000', '1000', '1000'])
  })
})

test.each([allLinks, sortedBySize])('a refresh reloads all loaded pages: %j', async (view) => {
  const { now } = await openList(view)
  await act(() => now().fetchNextPage())
  links = [...makeLinks(1, 250), ...links]
  act(() => refreshLinks(page.client))
  await expect.poll(() => now().links?.length).toBe(251)
})

test('resetting a list drops all but its first page', async () => {
  const { now } = await openList()
  await act(() => now().fetchNextPage())
  act(() => resetLinkLists(page.client))
  await expect.poll(() => now().links?.length).toBe(100)
  expect(now().hasNextPage).toBe(true)
})

test('changes apply to all loaded pages', async () => {
  const { now } = await openList()
  await act(() => now().fetchNextPage())
  act(() =>
    changeLinks(page.client, (cachedLinks) => cachedLinks.filter(({ id }) => id !== 'link-0')),
  )
  await expect.poll(() => now().links?.length).toBe(249)
})

test.each([
  ['the server if the list is only partly loaded', true, serverCounts],
  ['the page otherwise', false, { files: none, links: none }],
])('files and links are counted by %s', async (_source, hasNextPage, counts) => {
  const list = { links: [], hasNextPage }
  const now = new Date()
  const hook = page.run(() => useLinkCounts(list, 'free', now))
  await expect.poll(() => hook.result.current).toEqual(counts)
  expect(page.requests).toHaveLength(hasNextPage ? 1 : 0)
})

test('files are counted by their own state, links once', async () => {
  const files = [
    linkFile(),
    linkFile({ purgingAt: '2025-07-12T11:00:00.000Z' }),
    linkFile({ state: 'uploading' }),
  ]
  const list = { links: [listedLink({ files })], hasNextPage: false }
  const now = new Date('2025-07-12T12:00:00.000Z')
  const { result } = page.run(() => useLinkCounts(list, 'free', now))
  expect(result.current).toEqual({
    files: { active: 1, private: 0, deleted: 1 },
    links: { active: 1, private: 0, deleted: 0 },
  })
})

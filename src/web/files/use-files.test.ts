// @vitest-environment happy-dom
import { act, fireEvent } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { storedFile } from '../../../tests/support/upload-fixtures.ts'
import {
  delayedResponse,
  errorResponse,
  openPage,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { newestFirst, parseOrder } from '../../shared/rules/files/file-order.ts'
import {
  allFiles,
  changeFiles,
  deleteMutationKey,
  type ListView,
  loadAll,
  refreshFiles,
  resetFileLists,
  useFileCounts,
  useFiles,
} from './use-files.ts'

const sortedBySize: ListView = { search: '', order: parseOrder('-size') }

let page: WebPage
let files: StoredFile[]
beforeEach(() => {
  page = openPage()
  page.on('GET /api/files', ({ query }) => respondWithPage(query))
  page.on('GET /api/files/summary', () => ({ active: 7, private: 0, deleted: 0 }))
  files = makeFiles(250)
})
afterEach(() => page.close())

/**
 * Creates `count` files, newest first, with consecutive numbers as names. `from` is the oldest
 * file's number.
 */
function makeFiles(count: number, from = 0): StoredFile[] {
  return Array.from({ length: count }, (_, n) => {
    const fileNumber = from + count - 1 - n
    const createdAt = new Date(Date.parse('2030-01-01T00:00:00Z') + fileNumber * 1000).toISOString()
    return storedFile({ id: `file-${fileNumber}`, originalName: `${fileNumber}.txt`, createdAt })
  })
}

/**
 * Returns a page of the list, as the server does. The cursor is the id of the last file on the
 * previous page.
 */
function respondWithPage({ limit, cursor, search = '' }: Record<string, string>): Response {
  const matchingFiles = files.filter(({ originalName }) => originalName.includes(search))
  const start = cursor === undefined ? 0 : matchingFiles.findIndex(({ id }) => id === cursor) + 1
  const items = matchingFiles.slice(start, start + Number(limit))
  const lastItem = items.at(-1)
  const isLast = start + items.length >= matchingFiles.length
  return Response.json(items, {
    headers: lastItem && !isLast ? { 'x-next-cursor': lastItem.id } : {},
  })
}

/** Returns the query parameters of all list requests since the previous call. */
function takeListQueries(): Record<string, string>[] {
  return page.requests
    .splice(0)
    .filter(({ call }) => call === 'GET /api/files')
    .map(({ query }) => query)
}

async function openList(view: ListView = allFiles) {
  const hook = page.run(
    ({ view }: { view: ListView }) => useFiles(view, { refetchOnWindowFocus: 'always' }),
    { view },
  )
  await expect.poll(() => hook.result.current.files).toBeDefined()
  return {
    now: () => hook.result.current,
    view: (next: ListView) => hook.rerender({ view: next }),
  }
}

describe('a list', () => {
  test('starts with 100 files and reports that there are more', async () => {
    const { now } = await openList()
    expect(takeListQueries()).toEqual([{ limit: '100', sort: '-date' }])
    expect(now().files).toHaveLength(100)
    expect(now()).toMatchObject({ hasMore: true, isOutdated: false, isError: false })
  })

  test('with 100 files is complete', async () => {
    files = makeFiles(100)
    expect((await openList()).now()).toMatchObject({ hasMore: false })
  })

  test('shows the previous results as outdated until a new search has loaded', async () => {
    const { now, view } = await openList()
    takeListQueries()
    const { respond: response, resolve } = delayedResponse()
    page.on('GET /api/files', response)
    view({ search: '24', order: newestFirst })
    expect(now()).toMatchObject({ isOutdated: true })
    expect(now().files).toHaveLength(100)
    expect(takeListQueries()).toEqual([{ limit: '100', sort: '-date', search: '24' }])
    await act(async () => resolve([files[5]]))
    await expect.poll(() => now().isOutdated).toBe(false)
    expect(now().files).toEqual([files[5]])
  })

  test('reports a failed load', async () => {
    page.on('GET /api/files', () => errorResponse(500))
    const hook = page.run(() => useFiles())
    await expect.poll(() => hook.result.current.isError).toBe(true)
    expect(hook.result.current.files).toBeUndefined()
  })

  test('hides a file during its deletion, even if the list is reloaded', async () => {
    const { now } = await openList()
    const [first] = files as [StoredFile]
    const { respond: response, resolve } = delayedResponse()
    const deletionMutation = page.client
      .getMutationCache()
      .build(page.client, { mutationKey: deleteMutationKey, mutationFn: response })
      .execute(first)
    await expect.poll(() => now().files).toHaveLength(99)
    takeListQueries()
    act(() => refreshFiles(page.client))
    await expect.poll(() => now().isFetching).toBe(false)
    expect(takeListQueries()).toHaveLength(1)
    expect(now().files).toHaveLength(99)
    resolve(null)
    await deletionMutation
    await expect.poll(() => now().files).toHaveLength(100)
  })
})

test('reloads the list when the user returns to the page', async () => {
  files = makeFiles(2)
  const { now } = await openList()
  files = makeFiles(3)
  fireEvent(window, new Event('visibilitychange'))
  await expect.poll(() => now().files).toHaveLength(3)
})

describe('loading more', () => {
  test('uses pages of 1,000 files', async () => {
    files = makeFiles(1500)
    const { now } = await openList()
    takeListQueries()
    for (const expectedCount of [1100, 1500]) {
      await act(() => now().loadMore())
      await expect.poll(() => now().files).toHaveLength(expectedCount)
      expect(takeListQueries()).toMatchObject([{ limit: '1000', cursor: expect.any(String) }])
    }
    expect(now().hasMore).toBe(false)
  })

  test('can be retried after a failure', async () => {
    const { now } = await openList()
    page.on('GET /api/files', () => errorResponse(503))
    await act(() => now().loadMore())
    await expect.poll(() => now().isMoreError).toBe(true)
    expect(now().files).toHaveLength(100)
    page.on('GET /api/files', ({ query }) => respondWithPage(query))
    await act(() => now().loadMore())
    await expect.poll(() => now().files).toHaveLength(250)
    expect(now().isMoreError).toBe(false)
  })

  test('takes one request per 1,000 files to reach the end', async () => {
    files = makeFiles(2150)
    const fullList = await loadAll(page.client, allFiles)
    expect(fullList.files.map(({ id }) => id)).toEqual(files.map(({ id }) => id))
    expect(takeListQueries().map(({ limit }) => limit)).toEqual(['100', '1000', '1000', '1000'])
  })
})

test.each([allFiles, sortedBySize])('a refresh reloads all loaded pages: %j', async (view) => {
  const { now } = await openList(view)
  await act(() => now().loadMore())
  files = [...makeFiles(1, 250), ...files]
  act(() => refreshFiles(page.client))
  await expect.poll(() => now().files?.length).toBe(251)
})

test('resetting a list drops all but its first page', async () => {
  const { now } = await openList()
  await act(() => now().loadMore())
  act(() => resetFileLists(page.client))
  await expect.poll(() => now().files?.length).toBe(100)
  expect(now().hasMore).toBe(true)
})

test('changes apply to all loaded pages', async () => {
  const { now } = await openList()
  await act(() => now().loadMore())
  act(() =>
    changeFiles(page.client, (cachedFiles) => cachedFiles.filter(({ id }) => id !== 'file-0')),
  )
  await expect.poll(() => now().files?.length).toBe(249)
})

test.each([
  ['the server if the list is only partly loaded', true, { active: 7, private: 0, deleted: 0 }],
  ['the page otherwise', false, { active: 0, private: 0, deleted: 0 }],
])('files are counted by %s', async (_source, hasMore, counts) => {
  const list = { files: [], hasMore }
  const now = new Date()
  const hook = page.run(() => useFileCounts(list, 'free', now))
  await expect.poll(() => hook.result.current).toEqual(counts)
  expect(page.requests).toHaveLength(hasMore ? 1 : 0)
})

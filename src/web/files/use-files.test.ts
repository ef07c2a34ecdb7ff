// @vitest-environment happy-dom
import { act, fireEvent } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { storedFile } from '../../../tests/support/upload-facts.ts'
import { later, openPage, refused, type WebPage } from '../../../tests/support/web-page.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { newestFirst, parseOrder } from '../../shared/rules/files/file-order.ts'
import {
  allFiles,
  changeFiles,
  deleteKey,
  type ListView,
  loadAll,
  refreshFiles,
  reopenFiles,
  useFileCounts,
  useFiles,
} from './use-files.ts'

const bySize: ListView = { search: '', order: parseOrder('-size') }

let page: WebPage
/** The files on the server, newest first. */
let files: StoredFile[]
beforeEach(() => {
  page = openPage()
  page.on('GET /api/files', ({ query }) => answerPage(query))
  page.on('GET /api/files/summary', () => ({ active: 7, private: 0, deleted: 0 }))
  files = make(250)
})
afterEach(() => page.close())

/** Creates `count` files, newest first. `from` is the number of the oldest one. */
function make(count: number, from = 0): StoredFile[] {
  return Array.from({ length: count }, (_, n) => {
    const place = from + count - 1 - n
    const createdAt = new Date(Date.parse('2030-01-01T00:00:00Z') + place * 1000).toISOString()
    return storedFile({ id: `file-${place}`, originalName: `${place}.txt`, createdAt })
  })
}

/**
 * Returns a page of the list, as the server does. The cursor is the id of the previous page's last
 * file.
 */
function answerPage({ limit, cursor, search = '' }: Record<string, string>): Response {
  const found = files.filter(({ originalName }) => originalName.includes(search))
  const start = cursor === undefined ? 0 : found.findIndex(({ id }) => id === cursor) + 1
  const items = found.slice(start, start + Number(limit))
  const last = items.at(-1)
  const isLast = start + items.length >= found.length
  return Response.json(items, {
    headers: last && !isLast ? { 'x-next-cursor': last.id } : {},
  })
}

/** Returns the queries of all list requests since the previous call. */
function asked(): Record<string, string>[] {
  return page.asked
    .splice(0)
    .filter(({ call }) => call === 'GET /api/files')
    .map(({ query }) => query)
}

async function list(view: ListView = allFiles) {
  const shown = page.run(
    ({ view }: { view: ListView }) => useFiles(view, { refetchOnWindowFocus: 'always' }),
    { view },
  )
  await expect.poll(() => shown.result.current.files).toBeDefined()
  return {
    now: () => shown.result.current,
    view: (next: ListView) => shown.rerender({ view: next }),
  }
}

describe('a list', () => {
  test('starts with 100 files and reports that there are more', async () => {
    const { now } = await list()
    expect(asked()).toEqual([{ limit: '100', sort: '-date' }])
    expect(now().files).toHaveLength(100)
    expect(now()).toMatchObject({ hasMore: true, isOutdated: false, isError: false })
  })

  test('with 100 files is complete', async () => {
    files = make(100)
    expect((await list()).now()).toMatchObject({ hasMore: false })
  })

  test('shows the previous results as outdated until a new search has loaded', async () => {
    const { now, view } = await list()
    asked()
    const { answer: response, resolve } = later()
    page.on('GET /api/files', response)
    view({ search: '24', order: newestFirst })
    expect(now()).toMatchObject({ isOutdated: true })
    expect(now().files).toHaveLength(100)
    expect(asked()).toEqual([{ limit: '100', sort: '-date', search: '24' }])
    await act(async () => resolve([files[5]]))
    await expect.poll(() => now().isOutdated).toBe(false)
    expect(now().files).toEqual([files[5]])
  })

  test('reports a failed load', async () => {
    page.on('GET /api/files', () => refused(500))
    const shown = page.run(() => useFiles())
    await expect.poll(() => shown.result.current.isError).toBe(true)
    expect(shown.result.current.files).toBeUndefined()
  })

  test('hides a file during its deletion, even if the list is reloaded', async () => {
    const { now } = await list()
    const [first] = files as [StoredFile]
    const { answer: response, resolve } = later()
    const deletion = page.client
      .getMutationCache()
      .build(page.client, { mutationKey: deleteKey, mutationFn: response })
      .execute(first)
    await expect.poll(() => now().files).toHaveLength(99)
    asked()
    act(() => refreshFiles(page.client))
    await expect.poll(() => now().isFetching).toBe(false)
    expect(asked()).toHaveLength(1)
    expect(now().files).toHaveLength(99)
    resolve(null)
    await deletion
    await expect.poll(() => now().files).toHaveLength(100)
  })
})

test('reloads the list when the user returns to the page', async () => {
  files = make(2)
  const { now } = await list()
  files = make(3)
  fireEvent(window, new Event('visibilitychange'))
  await expect.poll(() => now().files).toHaveLength(3)
})

describe('loading more', () => {
  test('uses pages of 1,000 files', async () => {
    files = make(1500)
    const { now } = await list()
    asked()
    for (const loaded of [1100, 1500]) {
      await act(() => now().loadMore())
      await expect.poll(() => now().files).toHaveLength(loaded)
      expect(asked()).toMatchObject([{ limit: '1000', cursor: expect.any(String) }])
    }
    expect(now().hasMore).toBe(false)
  })

  test('can be retried after a failure', async () => {
    const { now } = await list()
    page.on('GET /api/files', () => refused(503))
    await act(() => now().loadMore())
    await expect.poll(() => now().isMoreError).toBe(true)
    expect(now().files).toHaveLength(100)
    page.on('GET /api/files', ({ query }) => answerPage(query))
    await act(() => now().loadMore())
    await expect.poll(() => now().files).toHaveLength(250)
    expect(now().isMoreError).toBe(false)
  })

  test('to the end takes one request per 1,000 files', async () => {
    files = make(2150)
    const whole = await loadAll(page.client, allFiles)
    expect(whole.files.map(({ id }) => id)).toEqual(files.map(({ id }) => id))
    expect(asked().map(({ limit }) => limit)).toEqual(['100', '1000', '1000', '1000'])
  })
})

test.each([allFiles, bySize])('a refresh reloads all loaded pages: %j', async (view) => {
  const { now } = await list(view)
  await act(() => now().loadMore())
  files = [...make(1, 250), ...files]
  act(() => refreshFiles(page.client))
  await expect.poll(() => now().files?.length).toBe(251)
})

test('reopening a list drops all but its first page', async () => {
  const { now } = await list()
  await act(() => now().loadMore())
  act(() => reopenFiles(page.client))
  await expect.poll(() => now().files?.length).toBe(100)
  expect(now().hasMore).toBe(true)
})

test('changes apply to all loaded pages', async () => {
  const { now } = await list()
  await act(() => now().loadMore())
  act(() => changeFiles(page.client, (known) => known.filter(({ id }) => id !== 'file-0')))
  await expect.poll(() => now().files?.length).toBe(249)
})

test.each([
  ['the server if the list is only partly loaded', true, { active: 7, private: 0, deleted: 0 }],
  ['the page otherwise', false, { active: 0, private: 0, deleted: 0 }],
])('files are counted by %s', async (_by, hasMore, counts) => {
  const known = { files: [], hasMore }
  const now = new Date()
  const shown = page.run(() => useFileCounts(known, 'free', now))
  await expect.poll(() => shown.result.current).toEqual(counts)
  expect(page.asked).toHaveLength(hasMore ? 1 : 0)
})

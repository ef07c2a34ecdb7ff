// @vitest-environment happy-dom
import { act, fireEvent } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { storedFile } from '../../../tests/support/upload-facts.ts'
import { later, openPage, refused, type WebPage } from '../../../tests/support/web-page.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { newestFirst, parseOrder } from '../../shared/rules/files/file-order.ts'
import {
  addStored,
  deleteKey,
  type ListView,
  readToEnd,
  refreshFiles,
  reopenFiles,
  useCountedFiles,
  useFiles,
  useMoreFiles,
  useRefreshOnReturn,
} from './use-files.ts'

const all: ListView = { search: '', order: newestFirst }
const bySize: ListView = { search: '', order: parseOrder('-size') }

let page: WebPage
/** The files of the server, the newest first. */
let files: StoredFile[]
beforeEach(() => {
  page = openPage()
  page.on('GET /api/files', ({ query }) => answerPage(query))
  page.on('GET /api/files/summary', () => ({ active: 7, private: 0, deleted: 0 }))
  files = make(250)
})
afterEach(() => page.close())

/** Makes this many files, newest first. `from` is the number of the oldest one. */
function make(count: number, from = 0): StoredFile[] {
  return Array.from({ length: count }, (_, n) => {
    const place = from + count - 1 - n
    const createdAt = new Date(Date.parse('2030-01-01T00:00:00Z') + place * 1000).toISOString()
    return storedFile({ id: `file-${place}`, originalName: `${place}.txt`, createdAt })
  })
}

/**
 * Answers with a page of the list, as the server does. The cursor is the id of the last file on the
 * previous page.
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

/**
 * Returns the queries of all requests for the list. Each call returns only those since the previous
 * call.
 */
function asked(): Record<string, string>[] {
  return page.asked
    .splice(0)
    .filter(({ call }) => call === 'GET /api/files')
    .map(({ query }) => query)
}

async function list(view: ListView = all) {
  const shown = page.run(
    ({ view }: { view: ListView }) => ({ ...useFiles(view), more: useMoreFiles(view) }),
    { view },
  )
  await expect.poll(() => shown.result.current.files).toBeDefined()
  return {
    now: () => shown.result.current,
    view: (next: ListView) => shown.rerender({ view: next }),
  }
}

describe('a list', () => {
  test('is read by a hundred files, and knows that there are more', async () => {
    const { now } = await list()
    expect(asked()).toEqual([{ limit: '100', sort: '-date' }])
    expect(now().files).toHaveLength(100)
    expect(now()).toMatchObject({ hasMore: true, isOutdated: false, isError: false })
  })

  test('of a hundred files has no more', async () => {
    files = make(100)
    expect((await list()).now()).toMatchObject({ hasMore: false })
  })

  test('that was searched is its own list; meanwhile the one before is shown as outdated', async () => {
    const { now, view } = await list()
    asked()
    const { answer, come } = later()
    page.on('GET /api/files', answer)
    view({ search: '24', order: newestFirst })
    expect(now()).toMatchObject({ isOutdated: true })
    expect(now().files).toHaveLength(100)
    expect(asked()).toEqual([{ limit: '100', sort: '-date', search: '24' }])
    await act(async () => come([files[5]]))
    await expect.poll(() => now().isOutdated).toBe(false)
    expect(now().files).toEqual([files[5]])
  })

  test('that cannot be read says so', async () => {
    page.on('GET /api/files', () => refused(500))
    const shown = page.run(() => useFiles())
    await expect.poll(() => shown.result.current.isError).toBe(true)
    expect(shown.result.current.files).toBeUndefined()
  })

  test('hides a file from the moment its deletion begins, even if the list is read meanwhile', async () => {
    const { now } = await list()
    const [first] = files as [StoredFile]
    const { answer, come } = later()
    const deletion = page.client
      .getMutationCache()
      .build(page.client, { mutationKey: deleteKey, mutationFn: answer })
      .execute(first)
    await expect.poll(() => now().files).toHaveLength(99)
    asked()
    act(() => refreshFiles(page.client))
    await expect.poll(() => now().isFetching).toBe(false)
    expect(asked()).toHaveLength(1)
    expect(now().files).toHaveLength(99)
    come(null)
    await deletion
    await expect.poll(() => now().files).toHaveLength(100)
  })
})

test('coming back to the page reads the list again, once for all signs of it', async () => {
  files = make(2)
  const { now } = await list()
  page.run(useRefreshOnReturn)
  asked()
  files = make(3)
  fireEvent.focus(window)
  fireEvent(document, new Event('visibilitychange'))
  await expect.poll(() => now().files).toHaveLength(3)
  expect(asked()).toHaveLength(1)
})

describe('reading on', () => {
  test('asks for as many files as are missing up to a place, a hundred at least and a thousand at most', async () => {
    files = make(3000)
    const { now } = await list()
    asked()
    for (const [place, limit, known] of [
      [100, '100', 200],
      [650, '451', 651],
      [2999, '1000', 1651],
    ] as const) {
      act(() => now().more.readUntil(place))
      await expect.poll(() => now().files?.length).toBe(known)
      expect(asked()).toMatchObject([{ limit, sort: '-date', cursor: expect.any(String) }])
    }
  })

  test('asks once, however often it is called meanwhile, and not at the end of the list', async () => {
    const { now } = await list()
    const { answer, come } = later()
    page.on('GET /api/files', answer)
    asked()
    await act(async () => now().more.readUntil(199))
    expect(asked()).toHaveLength(1)
    act(() => now().more.readUntil(199))
    expect(asked()).toEqual([])
    await act(async () => come(answerPage({ limit: '200', cursor: files[99]?.id ?? '' })))
    await expect.poll(() => now().hasMore).toBe(false)
    asked()
    act(() => now().more.readUntil(300))
    expect(asked()).toEqual([])
  })

  test('after a failure waits until somebody asks for another try', async () => {
    const { now } = await list()
    page.on('GET /api/files', () => refused(503))
    act(() => now().more.readUntil(199))
    await expect.poll(() => now().more.isError).toBe(true)
    expect(now().isError).toBe(false)
    asked()
    act(() => now().more.readUntil(199))
    expect(asked()).toEqual([])

    page.on('GET /api/files', ({ query }) => answerPage(query))
    act(() => now().more.retry())
    await expect.poll(() => now().more.isError).toBe(false)
    act(() => now().more.readUntil(199))
    await expect.poll(() => now().files?.length).toBe(200)
  })

  test('to the end needs a request for each thousand', async () => {
    files = make(2150)
    const whole = await readToEnd(page.client, all)
    expect(whole.map(({ id }) => id)).toEqual(files.map(({ id }) => id))
    expect(asked().map(({ limit }) => limit)).toEqual(['100', '1000', '1000', '1000'])
    expect(await readToEnd(page.client, all)).toHaveLength(2150)
    expect(asked()).toEqual([])
  })
})

describe('reading a list again', () => {
  test('with the newest files first reads the newest alone, and keeps the others', async () => {
    const { now } = await list()
    act(() => now().more.readUntil(249))
    await expect.poll(() => now().files?.length).toBe(250)
    asked()
    files = [...make(1, 250), ...files]
    act(() => refreshFiles(page.client))
    await expect.poll(() => now().files?.length).toBe(251)
    expect(asked()).toEqual([{ limit: '100', sort: '-date' }])
  })

  test('in another order reads all that was known', async () => {
    const { now } = await list(bySize)
    act(() => now().more.readUntil(249))
    await expect.poll(() => now().files?.length).toBe(250)
    asked()
    act(() => refreshFiles(page.client))
    await expect.poll(() => now().isFetching).toBe(false)
    expect(asked()).toEqual([{ limit: '250', sort: '-size' }])
  })

  test('from its beginning forgets the older pages', async () => {
    const { now } = await list()
    act(() => now().more.readUntil(249))
    await expect.poll(() => now().files?.length).toBe(250)
    act(() => reopenFiles(page.client))
    await expect.poll(() => now().files?.length).toBe(100)
    expect(now().hasMore).toBe(true)
  })
})

describe('a new file', () => {
  test('is on top at once, before the list is read again', async () => {
    const { now } = await list()
    const { answer } = later()
    page.on('GET /api/files', answer)
    const [added] = make(1, 250) as [StoredFile]
    act(() => addStored(page.client, [added]))
    await expect.poll(() => now().files?.[0]).toEqual(added)
    expect(now().files).toHaveLength(101)
  })

  test('makes no list where none is known', () => {
    addStored(page.client, make(1))
    expect(page.client.getQueriesData({ queryKey: ['/api/files'] })).toEqual([])
    expect(page.asked).toEqual([])
  })
})

test.each([
  [true, { active: 7, private: 0, deleted: 0 }],
  [false, undefined],
])('the server counts where it is asked to (%s)', async (enabled, counts) => {
  const shown = page.run(() => useCountedFiles(enabled))
  await expect.poll(() => shown.result.current).toEqual(counts)
  expect(page.asked).toHaveLength(enabled ? 1 : 0)
})

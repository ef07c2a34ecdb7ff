// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { storedFile } from '../../../../tests/support/upload-facts.ts'
import {
  later,
  openPage,
  refused,
  unauthorized,
  type WebPage,
} from '../../../../tests/support/web-page.ts'
import type { File as StoredFile } from '../../../shared/contract/files.ts'
import { newestFirst } from '../../../shared/rules/files/file-order.ts'
import { refreshFiles, useFiles } from '../use-files.ts'
import { useSelection } from './use-selection.ts'

const [a, b, c] = ['a', 'b', 'c'].map((id) => storedFile({ id })) as [
  StoredFile,
  StoredFile,
  StoredFile,
]

let page: WebPage
/** The pages of the server's list by cursor. The first page has the key ''. */
let pages: Record<string, { items: StoredFile[]; next?: string }>
beforeEach(() => {
  page = openPage()
  pages = { '': { items: [a, b, c] } }
  page.on('GET /api/files', ({ query }) => {
    const { items, next } = pages[query.search ?? query.cursor ?? ''] ?? { items: [] }
    return Response.json(items, { headers: next ? { 'x-next-cursor': next } : {} })
  })
  page.on('GET /api/files/summary', () => ({ active: 0, private: 0, deleted: 0 }))
})
afterEach(() => page.close())

async function manager() {
  const shown = page.run(
    ({ search }: { search: string }) => {
      const view = { search, order: newestFirst }
      const found = useFiles(view)
      return { found, own: useSelection(view, found) }
    },
    { search: '' },
  )
  const now = () => shown.result.current
  await expect.poll(() => now().found.files).toBeDefined()
  return {
    now,
    search: (search: string) => shown.rerender({ search }),
    toggle: (file: StoredFile) => act(() => now().own.toggle(file)),
    chosen: () =>
      now()
        .own.selected.map(({ id }) => id)
        .join(''),
  }
}

test('toggling selects and deselects a file', async () => {
  const { toggle, chosen } = await manager()
  toggle(a)
  toggle(b)
  expect(chosen()).toBe('ab')
  toggle(a)
  expect(chosen()).toBe('b')
})

test('clearing deselects all files', async () => {
  const { now, toggle, chosen } = await manager()
  toggle(a)
  act(() => now().own.clear())
  expect(chosen()).toBe('')
})

test('deleted files are deselected', async () => {
  const { now, toggle, chosen } = await manager()
  toggle(a)
  toggle(b)
  act(() => now().own.drop(new Set(['a', 'c'])))
  expect(chosen()).toBe('b')
})

describe('after a reload', () => {
  test('missing files are deselected and changed ones are updated', async () => {
    const { now, toggle, chosen } = await manager()
    toggle(a)
    toggle(b)
    const renewed = { ...b, shortCode: 'another' }
    pages = { '': { items: [renewed, c] } }
    act(() => refreshFiles(page.client))
    await expect.poll(chosen).toBe('b')
    expect(now().own.selected).toEqual([renewed])
  })

  test('files on unloaded pages stay selected', async () => {
    const { toggle, chosen, now } = await manager()
    toggle(a)
    pages = { '': { items: [b, c], next: 'more' } }
    act(() => refreshFiles(page.client))
    await expect.poll(() => now().found.hasMore).toBe(true)
    expect(chosen()).toBe('a')
  })
})

describe('a new search', () => {
  test('starts without a selection', async () => {
    const { toggle, chosen, search, now } = await manager()
    toggle(a)
    pages.text = { items: [a] }
    search('text')
    await expect.poll(() => now().found.files).toEqual([a])
    expect(chosen()).toBe('')
  })

  test('keeps the selection while the previous results are shown', async () => {
    const { toggle, chosen, search, now } = await manager()
    toggle(a)
    const { answer: response, resolve } = later()
    page.on('GET /api/files', response)
    search('text')
    expect(now().found.isOutdated).toBe(true)
    toggle(b)
    expect(chosen()).toBe('ab')
    await act(async () => resolve([b]))
    await expect.poll(() => now().found.isOutdated).toBe(false)
    expect(chosen()).toBe('')
    toggle(b)
    expect(chosen()).toBe('b')
  })
})

describe('selecting all', () => {
  test('loads the whole list first', async () => {
    pages = { '': { items: [a, b], next: 'more' }, more: { items: [c] } }
    const { now, chosen } = await manager()
    const { answer: response, resolve } = later()
    page.on('GET /api/files', response)
    act(() => now().own.selectAll())
    await expect.poll(() => now().own.isLoadingAll).toBe(true)
    expect(chosen()).toBe('')
    await act(async () => resolve([a, b, c]))
    await expect.poll(chosen).toBe('abc')
    await expect.poll(() => now().own.isLoadingAll).toBe(false)
  })

  test('shows an error and keeps the selection if that fails', async () => {
    pages = { '': { items: [a, b], next: 'more' } }
    const { now, chosen, toggle } = await manager()
    toggle(a)
    page.on('GET /api/files', () => refused(503))
    act(() => now().own.selectAll())
    await expect.poll(page.text).toBe('ErrorFailed to load all files. Please try again.')
    expect(chosen()).toBe('a')
  })

  test('shows only the logout toast if the session has ended', async () => {
    pages = { '': { items: [a, b], next: 'more' } }
    const { now } = await manager()
    page.on('GET /api/files', unauthorized)
    act(() => now().own.selectAll())
    await expect.poll(page.signedOut).toBeGreaterThan(0)
    expect(page.text()).toBe('')
  })
})

test('selected files follow the order of the list', async () => {
  const { toggle, chosen } = await manager()
  toggle(c)
  toggle(a)
  expect(chosen()).toBe('ac')
})

// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listedLink } from '../../../../tests/support/upload-fixtures.ts'
import {
  delayedResponse,
  errorResponse,
  openPage,
  unauthorized,
  type WebPage,
} from '../../../../tests/support/web-page.ts'
import { newestFirst } from '../../../shared/rules/files/file-order.ts'
import type { ListedLink } from '../listed-link.ts'
import { refreshLinks, useLinks } from '../use-links.ts'
import { useSelection } from './use-selection.ts'

const [a, b, c] = ['a', 'b', 'c'].map((id) => listedLink({ id })) as [
  ListedLink,
  ListedLink,
  ListedLink,
]

let page: WebPage
/** The pages of the server's list, keyed by cursor. The first page's key is ''. */
let pages: Record<string, { items: ListedLink[]; next?: string }>
beforeEach(() => {
  page = openPage()
  pages = { '': { items: [a, b, c] } }
  page.on('GET /api/links', ({ query }) => {
    const { items, next } = pages[query.search ?? query.cursor ?? ''] ?? { items: [] }
    return Response.json(items, { headers: next ? { 'x-next-cursor': next } : {} })
  })
})
afterEach(() => page.close())

async function renderSelection() {
  const hook = page.run(
    ({ search }: { search: string }) => {
      const view = { search, order: newestFirst }
      const list = useLinks(view)
      return { list, selection: useSelection(view, list) }
    },
    { search: '' },
  )
  const getResult = () => hook.result.current
  await expect.poll(() => getResult().list.links).toBeDefined()
  return {
    getResult,
    search: (search: string) => hook.rerender({ search }),
    toggle: (link: ListedLink) => act(() => getResult().selection.toggle(link)),
    selectedIds: () =>
      getResult()
        .selection.selected.map(({ id }) => id)
        .join(''),
  }
}

test('toggling selects and deselects a link', async () => {
  const { toggle, selectedIds } = await renderSelection()
  toggle(a)
  toggle(b)
  expect(selectedIds()).toBe('ab')
  toggle(a)
  expect(selectedIds()).toBe('b')
})

test('clearing deselects all links', async () => {
  const { getResult, toggle, selectedIds } = await renderSelection()
  toggle(a)
  act(() => getResult().selection.clear())
  expect(selectedIds()).toBe('')
})

test('deleted links are deselected', async () => {
  const { getResult, toggle, selectedIds } = await renderSelection()
  toggle(a)
  toggle(b)
  act(() => getResult().selection.drop(new Set(['a', 'c'])))
  expect(selectedIds()).toBe('b')
})

describe('after a reload', () => {
  test('missing links are deselected and changed ones are updated', async () => {
    const { getResult, toggle, selectedIds } = await renderSelection()
    toggle(a)
    toggle(b)
    const renewedLink = { ...b, shortCode: 'another' }
    pages = { '': { items: [renewedLink, c] } }
    act(() => refreshLinks(page.client))
    await expect.poll(selectedIds).toBe('b')
    expect(getResult().selection.selected).toEqual([renewedLink])
  })

  test('links on unloaded pages stay selected', async () => {
    const { toggle, selectedIds, getResult } = await renderSelection()
    toggle(a)
    pages = { '': { items: [b, c], next: 'more' } }
    act(() => refreshLinks(page.client))
    await expect.poll(() => getResult().list.hasNextPage).toBe(true)
    expect(selectedIds()).toBe('a')
  })
})

describe('a new search', () => {
  test('starts without a selection', async () => {
    const { toggle, selectedIds, search, getResult } = await renderSelection()
    toggle(a)
    pages.text = { items: [a] }
    search('text')
    await expect.poll(() => getResult().list.links).toEqual([a])
    expect(selectedIds()).toBe('')
  })

  test('keeps the selection while the previous results are shown', async () => {
    const { toggle, selectedIds, search, getResult } = await renderSelection()
    toggle(a)
    const { respond: response, resolve } = delayedResponse()
    page.on('GET /api/links', response)
    search('text')
    expect(getResult().list.isPlaceholderData).toBe(true)
    toggle(b)
    expect(selectedIds()).toBe('ab')
    await act(async () => resolve([b]))
    await expect.poll(() => getResult().list.isPlaceholderData).toBe(false)
    expect(selectedIds()).toBe('')
    toggle(b)
    expect(selectedIds()).toBe('b')
  })
})

describe('selecting all', () => {
  test('loads the whole list first', async () => {
    pages = { '': { items: [a, b], next: 'more' }, more: { items: [c] } }
    const { getResult, selectedIds } = await renderSelection()
    const { respond: response, resolve } = delayedResponse()
    page.on('GET /api/links', response)
    act(() => getResult().selection.selectAll())
    await expect.poll(() => getResult().selection.isLoadingAll).toBe(true)
    expect(selectedIds()).toBe('')
    await act(async () => resolve([a, b, c]))
    await expect.poll(selectedIds).toBe('abc')
    await expect.poll(() => getResult().selection.isLoadingAll).toBe(false)
  })

  test('shows an error and keeps the selection if that fails', async () => {
    pages = { '': { items: [a, b], next: 'more' } }
    const { getResult, selectedIds, toggle } = await renderSelection()
    toggle(a)
    page.on('GET /api/links', () => errorResponse(503))
    act(() => getResult().selection.selectAll())
    await expect.poll(page.text).toBe('ErrorFailed to load all files. Please try again.')
    expect(selectedIds()).toBe('a')
  })

  test('shows only the logout toast if the session has ended', async () => {
    pages = { '': { items: [a, b], next: 'more' } }
    const { getResult } = await renderSelection()
    page.on('GET /api/links', unauthorized)
    act(() => getResult().selection.selectAll())
    await expect.poll(page.signOutCount).toBeGreaterThan(0)
    expect(page.text()).toBe('')
  })
})

test('selected links follow the order of the list', async () => {
  const { toggle, selectedIds } = await renderSelection()
  toggle(c)
  toggle(a)
  expect(selectedIds()).toBe('ac')
})

// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
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
import {
  inOrder,
  nothing,
  ofAll,
  selectedIn,
  useSelection,
  withKnown,
  withoutDeleted,
  withToggled,
} from './use-selection.ts'

const [a, b, c] = ['a', 'b', 'c'].map((id) => storedFile({ id })) as [
  StoredFile,
  StoredFile,
  StoredFile,
]

let page: WebPage
/** The pages of the server's list. The keys are the cursors; the first page has the key ''. */
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
    chosen: () => [...now().own.chosen.keys()].join(''),
  }
}

test('a file is selected, and not any more, by the same box', async () => {
  const { toggle, chosen } = await manager()
  toggle(a)
  toggle(b)
  expect(chosen()).toBe('ab')
  toggle(a)
  expect(chosen()).toBe('b')
})

test('nothing is selected once all is cleared', async () => {
  const { now, toggle, chosen } = await manager()
  toggle(a)
  act(() => now().own.clear())
  expect(chosen()).toBe('')
})

test('what was deleted is selected no more', async () => {
  const { now, toggle, chosen } = await manager()
  toggle(a)
  toggle(b)
  act(() => now().own.drop(new Set(['a', 'c'])))
  expect(chosen()).toBe('b')
})

describe('a list that is read again', () => {
  test('drops what is gone from it, and shows what has changed', async () => {
    const { now, toggle, chosen } = await manager()
    toggle(a)
    toggle(b)
    const renewed = { ...b, shortCode: 'another' }
    pages = { '': { items: [renewed, c] } }
    act(() => refreshFiles(page.client))
    await expect.poll(chosen).toBe('b')
    expect(now().own.chosen.get('b')).toEqual(renewed)
  })

  test('proves nothing of files on pages that it does not know', async () => {
    const { toggle, chosen, now } = await manager()
    toggle(a)
    pages = { '': { items: [b, c], next: 'more' } }
    act(() => refreshFiles(page.client))
    await expect.poll(() => now().found.hasMore).toBe(true)
    expect(chosen()).toBe('a')
  })
})

describe('another search', () => {
  test('selects nothing that it does not show', async () => {
    const { toggle, chosen, search, now } = await manager()
    toggle(a)
    pages.text = { items: [a] }
    search('text')
    await expect.poll(() => now().found.files).toEqual([a])
    expect(chosen()).toBe('')
  })

  test('leaves the selection as it is while the files of the one before are shown', async () => {
    const { toggle, chosen, search, now } = await manager()
    toggle(a)
    const { answer, come } = later()
    page.on('GET /api/files', answer)
    search('text')
    expect(now().found.isOutdated).toBe(true)
    toggle(b)
    expect(chosen()).toBe('ab')
    await act(async () => come([b]))
    await expect.poll(() => now().found.isOutdated).toBe(false)
    expect(chosen()).toBe('')
    toggle(b)
    expect(chosen()).toBe('b')
  })
})

describe('selecting all', () => {
  test('reads the list to its end first', async () => {
    pages = { '': { items: [a, b], next: 'more' }, more: { items: [c] } }
    const { now, chosen } = await manager()
    const { answer, come } = later()
    page.on('GET /api/files', answer)
    act(() => now().own.selectAll())
    await expect.poll(() => now().own.isReading).toBe(true)
    expect([chosen(), now().own.isAll]).toEqual(['', false])
    await act(async () => come([c]))
    await expect.poll(chosen).toBe('abc')
    expect(now().own.isAll).toBe(true)
    await expect.poll(() => now().own.isReading).toBe(false)
  })

  test('selects nothing where that fails, and says so', async () => {
    pages = { '': { items: [a, b], next: 'more' } }
    const { now, chosen, toggle } = await manager()
    toggle(a)
    page.on('GET /api/files', () => refused(503))
    act(() => now().own.selectAll())
    await expect.poll(page.text).toBe('ErrorFailed to load all files. Please try again.')
    expect(chosen()).toBe('a')
  })

  test('without a session has the toast of the session alone', async () => {
    pages = { '': { items: [a, b], next: 'more' } }
    const { now } = await manager()
    page.on('GET /api/files', unauthorized)
    act(() => now().own.selectAll())
    await expect.poll(page.signedOut).toBe(1)
    expect(page.text()).toBe('')
  })
})

describe('a selection of files', () => {
  const two = ofAll('report', [a, b])
  const idsIn = (selection: typeof two, search = 'report') => [
    ...selectedIn(selection, search).keys(),
  ]

  it('holds all files of a search', () => {
    expect([...selectedIn(two, 'report').values()]).toEqual([a, b])
  })

  it('takes a file in and out, and stays as it was for others', () => {
    expect(idsIn(withToggled(two, 'report', a))).toEqual(['b'])
    expect(idsIn(withToggled(two, 'report', c))).toEqual(['a', 'b', 'c'])
    expect(idsIn(two)).toEqual(['a', 'b'])
  })

  it('is empty for another search, and begins anew there', () => {
    expect(selectedIn(two, '')).toBe(nothing)
    expect(idsIn(withToggled(two, '', c), '')).toEqual(['c'])
  })

  it('keeps files that a list known in part does not show', () => {
    expect(withKnown(two, 'report', { files: [], isWhole: false })).toEqual(two)
    expect(idsIn(withKnown(two, 'report', { files: [c, b], isWhole: false }))).toEqual(['a', 'b'])
  })

  it('loses files that the whole list does not have', () => {
    expect(idsIn(withKnown(two, 'report', { files: [c, b], isWhole: true }))).toEqual(['b'])
  })

  it('loses files that were deleted, whatever the list shows', () => {
    expect(idsIn(withoutDeleted(two, new Set(['a', 'c'])))).toEqual(['b'])
  })

  it('takes over what has changed in a file, and keeps it when the list shows it no more', () => {
    const renewed = storedFile({ id: 'b', shortCode: 'renewed000' })
    const inPart = withKnown(two, 'report', { files: [renewed], isWhole: false })
    const later = withKnown(inPart, 'report', { files: [c], isWhole: false })
    expect([...selectedIn(later, 'report').values()]).toEqual([a, renewed])
  })

  it('is of all files until one is deselected, or one is there that is not selected', () => {
    expect(two.isAll).toBe(true)
    expect(withToggled(two, 'report', a).isAll).toBe(false)
    expect(withToggled(withToggled(two, 'report', a), 'report', a).isAll).toBe(false)
    expect(withoutDeleted(two, new Set(['a'])).isAll).toBe(true)
    expect(withKnown(two, 'report', { files: [b], isWhole: false }).isAll).toBe(true)
    expect(withKnown(two, 'report', { files: [c, b], isWhole: false }).isAll).toBe(false)
  })

  it('learns nothing from the list of another search', () => {
    expect(withKnown(two, '', { files: [c], isWhole: true })).toBe(two)
  })

  it('has the order of the list, and after it what the list does not show yet', () => {
    const three = ofAll('', [a, b, c]).files
    expect(inOrder(three, [c, b, a])).toEqual([c, b, a])
    expect(inOrder(three, [c])).toEqual([c, a, b])
    expect(inOrder(ofAll('', [a]).files, [c, b, a])).toEqual([a])
    expect(inOrder(nothing, [c, b])).toEqual([])
  })
})

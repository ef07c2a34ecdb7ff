// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { storedFile } from '../../../tests/support/upload-fixtures.ts'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { FoundFiles, type FoundFilesProps } from './found-files.tsx'

let page: WebPage
let pressedButtons: string[]
beforeEach(() => {
  page = openPage()
  pressedButtons = []
  page.on('GET /api/settings/email-signature', () => ({ signature: '' }))
})
afterEach(() => page.close())

const [a, b] = [storedFile({ id: 'a' }), storedFile({ id: 'b' })]

function show(
  query: Partial<FoundFilesProps['query']>,
  {
    search = '',
    nextPageFails = false,
    onShowAll,
  }: { search?: string; nextPageFails?: boolean; onShowAll?: () => void } = {},
) {
  page.show(
    <FoundFiles
      label="File Manager"
      search={search}
      query={
        {
          files: undefined,
          hasMore: false,
          isOutdated: false,
          isError: false,
          isFetching: false,
          refetch: async () => pressedButtons.push('refetch'),
          isMoreError: nextPageFails,
          loadMore: async () => pressedButtons.push('load more'),
          ...query,
        } as FoundFilesProps['query']
      }
      total={2}
      tier="premium"
      now={new Date('2025-07-12T11:00:00.000Z')}
      emptyAction={<button type="button">Upload a file</button>}
      onClearSearch={() => pressedButtons.push('clear')}
      onShowAll={onShowAll}
    />,
  )
  return {
    rows: () => screen.queryAllByRole('listitem').length,
    spoken: () => screen.getAllByRole('status')[0]?.textContent,
    press: (name: string) => fireEvent.click(screen.getByRole('button', { name })),
  }
}

test('shows the files', () => {
  const { rows, spoken } = show({ files: [a, b] })
  expect([rows(), spoken()]).toEqual([2, ''])
})

describe('files with links that expire soon', () => {
  const onShowAll = () => pressedButtons.push('all')

  test('are counted for screen readers', () => {
    expect(show({ files: [a, b] }, { onShowAll }).spoken()).toBe('2 files found')
  })

  test('offer to show all files if there are none', () => {
    const { press } = show({ files: [] }, { onShowAll })
    expect(page.text()).toContain('No link ends within 24 hours')
    press('Show all files')
    expect(pressedButtons).toEqual(['all'])
  })

  test('offer to clear a search without results', () => {
    const { press } = show({ files: [] }, { onShowAll, search: 'report' })
    press('Clear search')
    expect(pressedButtons).toEqual(['clear'])
  })
})

describe('the download count', () => {
  /**
   * Clicks the first button with this name. Each row contains the button twice, and CSS shows the
   * one that fits the screen width.
   */
  const press = (name: string) => {
    const [button] = screen.getAllByRole('button', { name })
    fireEvent.click(button as Element)
    return button?.getAttribute('aria-expanded')
  }
  const getReceiptLabels = () =>
    screen
      .queryAllByRole('region', { name: /^Receipt of/ })
      .map((region) => region.getAttribute('aria-label'))

  test("expands and collapses the file's receipt", () => {
    show({ files: [{ ...a, originalName: 'a.txt', downloadCount: 3 }] })
    expect(press('3 downloads, receipt of a.txt')).toBe('true')
    expect(screen.getByRole('region', { name: 'Receipt of a.txt' }).textContent).toContain('Stored')
    expect(press('3 downloads, receipt of a.txt')).toBe('false')
    expect(getReceiptLabels()).toEqual([])
  })

  test('expands one file at a time', () => {
    show({
      files: [
        { ...a, originalName: 'a.txt' },
        { ...b, originalName: 'b.txt' },
      ],
    })
    press('0 downloads, receipt of a.txt')
    press('0 downloads, receipt of b.txt')
    expect(getReceiptLabels()).toEqual(['Receipt of b.txt'])
  })
})

describe('a search', () => {
  test.each([
    [{ files: [a] }, '1 file found'],
    [{ files: [a, b] }, '2 files found'],
    [{ files: [] }, '0 files found'],
    // These files are still the previous search's results.
    [{ files: [a, b], isOutdated: true }, ''],
    [{ files: undefined }, ''],
  ])('with the result %j announces "%s"', (query, announcement) => {
    expect(show(query, { search: 'x' }).spoken()).toBe(announcement)
  })

  test('without results can be cleared', () => {
    const { press } = show({ files: [] }, { search: 'x' })
    expect(page.text()).toContain('No name contains “x”.')
    press('Clear search')
    expect(pressedButtons).toEqual(['clear'])
  })
})

test('the empty state offers an upload', () => {
  show({ files: [] })
  expect(page.text()).toContain('No files yet')
  expect(screen.getByRole('button', { name: 'Upload a file' })).toBeTruthy()
})

test('a list that failed to load can be reloaded', () => {
  const { press } = show({ isError: true })
  press('Try again')
  expect(pressedButtons).toEqual(['refetch'])
})

test('loaded files stay if a reload fails', () => {
  expect(show({ files: [a], isError: true }).rows()).toBe(1)
  expect(page.text()).not.toContain('could not be loaded')
})

test('shows that the list is loading', () => {
  show({ isFetching: true })
  expect(page.text()).toContain('Loading your files')
})

test('a failed next page can be retried', () => {
  const { rows, press } = show({ files: [a, b] }, { nextPageFails: true })
  expect(rows()).toBe(2)
  press('Try again')
  expect(pressedButtons).toEqual(['load more'])
})

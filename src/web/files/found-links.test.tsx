// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { linkFile, listedLink } from '../../../tests/support/upload-fixtures.ts'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { FoundLinks, type FoundLinksProps } from './found-links.tsx'
import type { ListedLink } from './listed-link.ts'

let page: WebPage
let pressedButtons: string[]
beforeEach(() => {
  page = openPage()
  pressedButtons = []
  page.on('GET /api/settings/email-signature', () => ({ signature: '' }))
})
afterEach(() => page.close())

const [a, b] = ['a', 'b'].map((id) =>
  listedLink({ id, files: [linkFile({ name: `${id}.txt` })] }),
) as [ListedLink, ListedLink]

function show(
  query: Partial<FoundLinksProps['query']>,
  {
    search = '',
    nextPageFails = false,
    onShowAll,
  }: { search?: string; nextPageFails?: boolean; onShowAll?: () => void } = {},
) {
  page.show(
    <FoundLinks
      label="File Manager"
      search={search}
      query={
        {
          links: undefined,
          hasNextPage: false,
          isPlaceholderData: false,
          isError: false,
          isFetching: false,
          refetch: async () => pressedButtons.push('refetch'),
          isFetchNextPageError: nextPageFails,
          fetchNextPage: async () => pressedButtons.push('load more'),
          ...query,
        } as FoundLinksProps['query']
      }
      total={2}
      tier="premium"
      now={new Date('2025-07-12T11:00:00.000Z')}
      empty={<button type="button">Upload a file</button>}
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

test('shows the links', () => {
  const { rows, spoken } = show({ links: [a, b] })
  expect([rows(), spoken()]).toEqual([2, ''])
})

describe('links that expire soon', () => {
  const onShowAll = () => pressedButtons.push('all')

  test('are counted for screen readers', () => {
    expect(show({ links: [a, b] }, { onShowAll }).spoken()).toBe('2 links found')
  })

  test('offer to show all files if there are none', () => {
    const { press } = show({ links: [] }, { onShowAll })
    expect(page.text()).toContain('No link ends within 24 hours')
    press('Show all files')
    expect(pressedButtons).toEqual(['all'])
  })

  test('offer to clear a search without results', () => {
    const { press } = show({ links: [] }, { onShowAll, search: 'report' })
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

  test("expands and collapses the link's receipt", async () => {
    show({ links: [{ ...a, downloadCount: 3 }] })
    expect(press('3 downloads, receipt of a.txt')).toBe('true')
    const region = screen.getByRole('region', { name: 'Receipt of a.txt' })
    await expect.poll(() => region.textContent).toContain('Stored')
    expect(press('3 downloads, receipt of a.txt')).toBe('false')
    expect(getReceiptLabels()).toEqual([])
  })

  test('expands one link at a time', () => {
    show({ links: [a, b] })
    press('0 downloads, receipt of a.txt')
    press('0 downloads, receipt of b.txt')
    expect(getReceiptLabels()).toEqual(['Receipt of b.txt'])
  })
})

describe('a search', () => {
  test.each([
    [{ links: [a] }, '1 link found'],
    [{ links: [a, b] }, '2 links found'],
    [{ links: [] }, '0 links found'],
    // These links are still the previous search's results.
    [{ links: [a, b], isPlaceholderData: true }, ''],
    [{ links: undefined }, ''],
  ])('with the result %j announces "%s"', (query, announcement) => {
    expect(show(query, { search: 'x' }).spoken()).toBe(announcement)
  })

  test('without results can be cleared', () => {
    const { press } = show({ links: [] }, { search: 'x' })
    expect(page.text()).toContain('No name contains “x”.')
    press('Clear search')
    expect(pressedButtons).toEqual(['clear'])
  })
})

test('the empty state is shown if there are no links', () => {
  show({ links: [] })
  expect(screen.getByRole('button', { name: 'Upload a file' })).toBeTruthy()
})

test('a list that failed to load can be reloaded', () => {
  const { press } = show({ isError: true })
  press('Try again')
  expect(pressedButtons).toEqual(['refetch'])
})

test('loaded links stay if a reload fails', () => {
  expect(show({ links: [a], isError: true }).rows()).toBe(1)
  expect(page.text()).not.toContain('could not be loaded')
})

test('shows that the list is loading', () => {
  show({ isFetching: true })
  expect(page.text()).toContain('Loading your files')
})

test('a failed next page can be retried', () => {
  const { rows, press } = show({ links: [a, b] }, { nextPageFails: true })
  expect(rows()).toBe(2)
  press('Try again')
  expect(pressedButtons).toEqual(['load more'])
})

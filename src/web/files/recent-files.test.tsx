// @vitest-environment happy-dom
import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { linkFile, listedLink } from '../../../tests/support/upload-fixtures.ts'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { LinkFile } from '../../shared/contract/links.ts'
import { pageClock } from '../api/server-clock.ts'
import type { ListedLink } from './listed-link.ts'
import { RecentFiles } from './recent-files.tsx'
import { refreshLinks } from './use-links.ts'

let page: WebPage
let links: ListedLink[]
let copiedTexts: string[]
let reportedHasNewFiles: boolean[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  page = openPage()
  links = [makeLink('old', 0)]
  copiedTexts = []
  reportedHasNewFiles = []
  page.on('GET /api/links', () => links)
  page.on('GET /api/settings/email-signature', () => ({ signature: '' }))
  const writeText = async (text: string) => void copiedTexts.push(text)
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } })
})
afterEach(() => {
  page.close()
  vi.useRealTimers()
  Reflect.deleteProperty(navigator, 'clipboard')
})

/** Creates an active link. Its upload date is `second` seconds from now. */
function makeLink(id: string, second: number, file: Partial<LinkFile> = {}): ListedLink {
  const now = pageClock.now()
  const toTimestamp = (ms: number) => new Date(now + second * 1000 + ms).toISOString()
  return listedLink({
    id,
    files: [linkFile({ name: `${id}.txt`, ...file })],
    shortCode: `code-${id}`,
    createdAt: toTimestamp(0),
    expiresAt: toTimestamp(3 * 86_400_000),
    maxLifetimeAt: toTimestamp(30 * 86_400_000),
  })
}

/** Waits for pending responses. */
async function settle() {
  for (let step = 0; step < 20; step += 1) await act(() => vi.advanceTimersByTimeAsync(1))
}

async function open() {
  page.show(
    <RecentFiles
      tier="premium"
      limit={5}
      onNewFiles={(hasNewFiles) => reportedHasNewFiles.push(hasNewFiles)}
    />,
  )
  await settle()
}

async function storeLinks(...newLinks: ListedLink[]) {
  links = [...newLinks.toReversed(), ...links]
  act(() => refreshLinks(page.client))
  await settle()
}

function getRow(name: string) {
  const listItem = screen.getAllByRole('listitem').find((item) => item.textContent.includes(name))
  if (!listItem) throw new Error(`no row of ${name}`)
  return {
    isMarked: () => listItem.className.includes('bg-tint') && listItem.textContent.includes('New'),
    copiesAsMainAction: () =>
      within(listItem)
        .getByRole('button', { name: new RegExp(`^Copy ?link of ${name}`) })
        .className.includes('bg-accent'),
  }
}

test('links of the first load are not marked as new', async () => {
  await open()
  expect(getRow('old.txt').isMarked()).toBe(false)
  expect(getRow('old.txt').copiesAsMainAction()).toBe(false)
  expect(reportedHasNewFiles.at(-1)).toBe(false)
})

test('a new link is marked, and copying its link is the main action', async () => {
  await open()
  await storeLinks(makeLink('new', 1))
  expect(getRow('new.txt').isMarked()).toBe(true)
  expect(getRow('new.txt').copiesAsMainAction()).toBe(true)
  expect(getRow('old.txt').isMarked()).toBe(false)
  expect(getRow('old.txt').copiesAsMainAction()).toBe(false)
  expect(reportedHasNewFiles.at(-1)).toBe(true)
  expect(screen.queryByRole('button', { name: 'Copy 1 link' })).toBeNull()
  expect(document.activeElement).toBe(document.body)
})

test('a link is marked as new once its files have been uploaded', async () => {
  links = [makeLink('sent', 1, { state: 'uploading', receivedBytes: 420 }), ...links]
  await open()
  expect(getRow('sent.txt').isMarked()).toBe(false)
  expect(page.text()).toContain('Uploading… 42%')
  links = links.slice(1)
  await storeLinks(makeLink('sent', 1))
  expect(getRow('sent.txt').isMarked()).toBe(true)
  expect(page.text()).not.toContain('Uploading')
})

test('several new links can be copied together, one per line', async () => {
  await open()
  await storeLinks(makeLink('a', 1))
  await storeLinks(makeLink('b', 2))
  expect([getRow('a.txt').isMarked(), getRow('b.txt').isMarked()]).toEqual([true, true])
  // With several new links, the main action is the button that copies all their links.
  expect(getRow('a.txt').copiesAsMainAction()).toBe(false)
  expect(getRow('b.txt').copiesAsMainAction()).toBe(false)
  const copyAllButton = screen.getByRole('button', { name: 'Copy 2 links' })
  expect(copyAllButton.className).toContain('bg-accent')
  fireEvent.click(copyAllButton)
  await settle()
  const { origin } = window.location
  expect(copiedTexts).toEqual([`${origin}/s/code-b\n${origin}/s/code-a`])
  await expect.poll(page.text).toContain('2 links copied')
})

test('a link with the same timestamp as a known one is marked as new', async () => {
  await open()
  await storeLinks({ ...makeLink('new', 0), createdAt: links[0]?.createdAt ?? '' })
  expect(getRow('new.txt').isMarked()).toBe(true)
  expect(getRow('old.txt').isMarked()).toBe(false)
})

test('new links that do not fit in the list are copied too', async () => {
  await open()
  await storeLinks(...Array.from({ length: 7 }, (_, n) => makeLink(`file-${n}`, n + 1)))
  expect(screen.getAllByRole('listitem')).toHaveLength(5)
  fireEvent.click(screen.getByRole('button', { name: 'Copy 7 links' }))
  await settle()
  expect(copiedTexts[0]?.split('\n')).toHaveLength(7)
})

test('an older link that moves up into the list is not marked as new', async () => {
  links = [makeLink('old', 0), makeLink('older', -10)]
  await open()
  links = [makeLink('older', -10), makeLink('oldest', -20)]
  act(() => refreshLinks(page.client))
  await settle()
  expect(getRow('oldest.txt').isMarked()).toBe(false)
})

test.each([
  ['scrolls to a new link', 0, 1],
  ['stays in place after the user has scrolled', 120, 0],
])('the page %s', async (_behavior, scrollY, scrollCount) => {
  const scrollSpy = vi
    .spyOn(Element.prototype, 'scrollIntoView')
    .mockImplementation(() => undefined)
  await open()
  window.scrollTo(0, scrollY)
  await storeLinks(makeLink('new', 1))
  expect(scrollSpy).toHaveBeenCalledTimes(scrollCount)
  scrollSpy.mockRestore()
  window.scrollTo(0, 0)
})

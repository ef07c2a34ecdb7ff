// @vitest-environment happy-dom
import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { storedFile } from '../../../tests/support/upload-facts.ts'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { serverClock } from '../api/server-clock.ts'
import { bringIntoSight, mayScroll, RecentFiles } from './recent-files.tsx'
import { addStored } from './use-files.ts'
import { newForMs } from './use-new-files.ts'

let page: WebPage
/** The files of the server, the newest first. */
let files: StoredFile[]
let copied: string[]
let news: boolean[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  page = openPage()
  files = [make('old', 0)]
  copied = []
  news = []
  page.on('GET /api/files', () => files)
  page.on('GET /api/settings/email-signature', () => ({ signature: '' }))
  const writeText = async (text: string) => void copied.push(text)
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } })
})
afterEach(() => {
  page.close()
  vi.useRealTimers()
  Reflect.deleteProperty(navigator, 'clipboard')
})

/** A file whose link is open, stored at this second. */
function make(id: string, second: number): StoredFile {
  const now = serverClock().now()
  const moment = (ms: number) => new Date(now + second * 1000 + ms).toISOString()
  return storedFile({
    id,
    originalName: `${id}.txt`,
    shortCode: `code-${id}`,
    createdAt: moment(0),
    expiresAt: moment(3 * 86_400_000),
    maxLifetimeAt: moment(30 * 86_400_000),
  })
}

/** Lets pending answers arrive. */
async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await act(() => vi.advanceTimersByTimeAsync(1))
}

async function open() {
  page.show(<RecentFiles tier="premium" newest={5} onNews={(hasNews) => news.push(hasNews)} />)
  await settle()
}

async function store(...stored: StoredFile[]) {
  files = [...stored.toReversed(), ...files]
  act(() => addStored(page.client, stored))
  await settle()
}

function row(name: string) {
  const found = screen.getAllByRole('listitem').find((item) => item.textContent.includes(name))
  if (!found) throw new Error(`no row of ${name}`)
  return {
    isMarked: () => found.className.includes('bg-tint') && found.textContent.includes('New'),
    copiesAsMainAction: () =>
      within(found)
        .getByRole('button', { name: new RegExp(`^Copy ?link of ${name}`) })
        .className.includes('bg-accent'),
  }
}

function spoken() {
  return screen.getAllByRole('status')[0]?.textContent
}

test('nothing is new in the list that the page opens with', async () => {
  await open()
  expect(row('old.txt').isMarked()).toBe(false)
  expect(row('old.txt').copiesAsMainAction()).toBe(false)
  expect([spoken(), news.at(-1)]).toEqual(['', false])
})

test('a new file is marked, its copy button is the main one, and it is told', async () => {
  await open()
  await store(make('new', 1))
  expect(row('new.txt').isMarked()).toBe(true)
  expect(row('new.txt').copiesAsMainAction()).toBe(true)
  expect(row('old.txt').isMarked()).toBe(false)
  expect(row('old.txt').copiesAsMainAction()).toBe(false)
  expect([spoken(), news.at(-1)]).toEqual(['new.txt: its link is ready to copy.', true])
  expect(screen.queryByRole('button', { name: 'Copy 1 link' })).toBeNull()
  expect(document.activeElement).toBe(document.body)

  await act(() => vi.advanceTimersByTimeAsync(newForMs))
  expect(row('new.txt').isMarked()).toBe(false)
  expect(row('new.txt').copiesAsMainAction()).toBe(false)
  expect([spoken(), news.at(-1)]).toEqual(['', false])
})

test('several new files offer all their links together, one a line', async () => {
  await open()
  await store(make('a', 1))
  await store(make('b', 2))
  expect([row('a.txt').isMarked(), row('b.txt').isMarked()]).toEqual([true, true])
  // A screen has one main action.
  expect(row('a.txt').copiesAsMainAction()).toBe(false)
  expect(row('b.txt').copiesAsMainAction()).toBe(false)
  expect(spoken()).toBe('2 new links are ready to copy, the latest for b.txt.')
  const together = screen.getByRole('button', { name: 'Copy 2 links' })
  expect(together.className).toContain('bg-accent')
  fireEvent.click(together)
  await settle()
  const { origin } = window.location
  expect(copied).toEqual([`${origin}/s/code-b\n${origin}/s/code-a`])
  expect(page.text()).toContain('2 links copied')

  await act(() => vi.advanceTimersByTimeAsync(newForMs))
  expect(screen.queryByRole('button', { name: 'Copy 2 links' })).toBeNull()
})

test('the links of new files that are not listed are copied too', async () => {
  await open()
  await store(...Array.from({ length: 7 }, (_, n) => make(`file-${n}`, n + 1)))
  expect(screen.getAllByRole('listitem')).toHaveLength(5)
  fireEvent.click(screen.getByRole('button', { name: 'Copy 7 links' }))
  await settle()
  expect(copied[0]?.split('\n')).toHaveLength(7)
})

// @vitest-environment happy-dom

const missed = { isShown: false, isAtTop: true, usesKeyboard: false }

describe('the page scrolls to a new row', () => {
  it.each([
    ['that would be missed', {}, true],
    ['but not where it can be seen', { isShown: true }, false],
    ['but not for somebody who has scrolled away', { isAtTop: false }, false],
    ['but not under the hands of somebody who types', { usesKeyboard: true }, false],
  ])('%s', (_what, changes, scrolls) => {
    expect(mayScroll({ ...missed, ...changes })).toBe(scrolls)
  })
})

describe('a row', () => {
  /** What lies at a place of the window; null outside of it. */
  let at: (y: number, x: number) => Element | null
  let scrolled: unknown[]
  let row: HTMLElement
  beforeEach(() => {
    scrolled = []
    row = document.createElement('li')
    document.body.append(row)
    row.getBoundingClientRect = () => new DOMRect(0, 500, 300, 100)
    row.scrollIntoView = (options) => void scrolled.push(options)
    Object.assign(document, { elementFromPoint: (x: number, y: number) => at(y, x) })
    window.scrollTo(0, 0)
  })
  afterEach(() => {
    Reflect.deleteProperty(document, 'elementFromPoint')
    window.scrollTo(0, 0)
  })

  it('stays where it is if all of it can be seen', () => {
    at = () => row
    bringIntoSight(row)
    expect(scrolled).toEqual([])
  })

  it.each([
    ['is below the window', () => null],
    ['is half below the window', (y: number) => (y < 550 ? row : null)],
    ['is half behind the uploads panel', (y: number) => (y < 550 ? row : document.body)],
    ['has its name behind the panel', (_y: number, x: number) => (x > 100 ? row : document.body)],
    ['has its buttons behind a toast', (_y: number, x: number) => (x < 200 ? row : document.body)],
  ])('is scrolled into the middle if it %s', (_where, lies) => {
    at = lies
    bringIntoSight(row)
    expect(scrolled).toMatchObject([{ block: 'center' }])
  })

  it('is left alone once the person has scrolled', () => {
    at = () => null
    window.scrollTo(0, 120)
    bringIntoSight(row)
    expect(scrolled).toEqual([])
  })

  it('is left alone while the person types, and never takes the focus', () => {
    at = () => null
    const field = document.createElement('input')
    document.body.append(field)
    field.focus()
    bringIntoSight(row)
    expect(scrolled).toEqual([])
    expect(document.activeElement).toBe(field)
  })
})

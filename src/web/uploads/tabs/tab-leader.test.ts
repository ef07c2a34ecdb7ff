import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../../../tests/support/eventually.ts'
import { createElection } from './tab-leader.ts'

const pages: EventTarget[] = []

/** Opens a tab that uses Node's Web Locks, and notes when it leads, follows or is loaded again. */
function openTab(locks: Pick<LockManager, 'request'> | 'none' = navigator.locks) {
  const page = new EventTarget()
  const events: string[] = []
  pages.push(page)
  const candidate = createElection({
    locks: locks === 'none' ? undefined : locks,
    page,
    reload: () => events.push('reload'),
  })(
    () => events.push('lead'),
    () => events.push('follow'),
  )
  return {
    events,
    takeOver: candidate.takeOver,
    hide: () => page.dispatchEvent(new Event('pagehide')),
    showAgain: () => page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })),
  }
}

afterEach(() => {
  for (const page of pages.splice(0)) page.dispatchEvent(new Event('pagehide'))
})

test('one tab leads; when it goes, one of the others does', async () => {
  const first = openTab()
  await eventually(() => expect(first.events).toEqual(['lead']))
  const others = [openTab(), openTab()]
  await eventually(() =>
    expect(others.map(({ events }) => events)).toEqual([['follow'], ['follow']]),
  )
  first.hide()
  await eventually(() =>
    expect(others.map(({ events }) => events)).toEqual([['follow', 'lead'], ['follow']]),
  )
})

test('tabs opened at the same moment make one leader', async () => {
  const tabs = Array.from({ length: 8 }, () => openTab())
  await eventually(() => {
    for (const { events } of tabs) expect(events).toHaveLength(1)
  })
  expect(tabs.filter(({ events }) => events[0] === 'lead')).toHaveLength(1)
})

test('a tab that follows and goes does not lead afterwards', async () => {
  const first = openTab()
  await eventually(() => expect(first.events).toEqual(['lead']))
  const second = openTab()
  await eventually(() => expect(second.events).toEqual(['follow']))
  second.hide()
  first.hide()
  const third = openTab()
  await eventually(() => expect(third.events.at(-1)).toBe('lead'))
  expect(second.events).toEqual(['follow'])
})

test('a page that the back button brings back stands again, or is loaded anew when it led', async () => {
  const first = openTab()
  await eventually(() => expect(first.events).toEqual(['lead']))
  const second = openTab()
  await eventually(() => expect(second.events).toEqual(['follow']))
  second.hide()
  second.showAgain()
  await eventually(() => expect(second.events).toEqual(['follow', 'follow']))
  first.hide()
  await eventually(() => expect(second.events).toEqual(['follow', 'follow', 'lead']))
  first.showAgain()
  expect(first.events).toEqual(['lead', 'reload'])
})

test('a leader that does not answer is robbed: it follows, and leads again in its turn', async () => {
  const first = openTab()
  await eventually(() => expect(first.events).toEqual(['lead']))
  const second = openTab()
  await eventually(() => expect(second.events).toEqual(['follow']))
  second.takeOver()
  await eventually(() => expect(second.events).toEqual(['follow', 'lead']))
  await eventually(() => expect(first.events).toEqual(['lead', 'follow']))
  // This tab leads already, so taking over changes nothing.
  second.takeOver()
  const third = openTab()
  await eventually(() => expect(third.events).toEqual(['follow']))
  second.hide()
  await eventually(() => expect(first.events).toEqual(['lead', 'follow', 'lead']))
  expect(second.events).toEqual(['follow', 'lead'])
})

test('without Web Locks, or where they are refused, every tab leads itself', async () => {
  const refusing = { request: () => Promise.reject(new DOMException('no', 'SecurityError')) }
  const tabs = [openTab('none'), openTab('none'), openTab(refusing)]
  await eventually(() =>
    expect(tabs.map(({ events }) => events)).toEqual([['lead'], ['lead'], ['lead']]),
  )
})

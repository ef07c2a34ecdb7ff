// @vitest-environment happy-dom
import { act, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { SectionLinks } from './section-links.tsx'

const sections = [
  { id: 'checks', title: 'Checks' },
  { id: 'reports', title: 'Reports' },
  { id: 'feedback', title: 'Feedback' },
]

let page: WebPage
/** Says that the observed heading came onto the screen. */
let comeIntoSight: () => void
beforeEach(() => {
  localStorage.clear()
  comeIntoSight = () => {
    throw new Error('No heading is observed.')
  }
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(tell: (entries: { isIntersecting: boolean }[]) => void) {
        comeIntoSight = () => tell([{ isIntersecting: true }])
        tell([{ isIntersecting: false }])
      }
      observe() {}
      disconnect() {}
    },
  )
  page = openPage()
  page.on('GET /api/admin/checks', () => [
    { name: 'Storage', status: 'failing', message: 'It is away.', cure: 'Bring it back.' },
    { name: 'Mail', status: 'warning', message: 'None.', cure: 'Set one.' },
  ])
  page.on('GET /api/admin/reports', () => [])
  page.on('GET /api/admin/feedback', () => [sentOn(2), sentOn(1)])
})
afterEach(() => {
  page.close()
  vi.unstubAllGlobals()
})

function sentOn(day: number) {
  return {
    id: `id-of-${day}`,
    name: 'Ada',
    email: 'ada@example.org',
    category: null,
    message: 'It rattles.',
    createdAt: `2026-11-0${day}T00:00:00.000Z`,
    isSuspect: false,
  }
}

function show() {
  return page.show(
    <>
      <SectionLinks sections={sections} />
      <h2 id="feedback">Feedback</h2>
    </>,
  )
}

/** Waits until the badges of the checks and of the feedback are there. */
async function seeWaiting() {
  await within(screen.getByRole('navigation')).findByText('failing', { exact: false })
  await within(screen.getByRole('navigation')).findByText('new', { exact: false })
}

function names(): string[] {
  const bar = within(screen.getByRole('navigation'))
  return bar.getAllByRole('link').map(({ textContent }) => textContent ?? '')
}

it('says what waits in each section, and asks for no list twice', async () => {
  show()
  await seeWaiting()
  expect(names()).toEqual(['Checks1 failing', 'Reports', 'Feedback2 new'])
  expect(page.asked.map(({ call }) => call).toSorted()).toEqual([
    'GET /api/admin/checks',
    'GET /api/admin/feedback',
    'GET /api/admin/reports',
  ])
})

it('counts feedback as new until it was on the screen, also on the next visit', async () => {
  const visit = show()
  await seeWaiting()
  act(() => comeIntoSight())
  expect(names()).toContain('Feedback')
  visit.unmount()
  page.client.clear()
  page.on('GET /api/admin/feedback', () => [sentOn(3), sentOn(2), sentOn(1)])
  show()
  await seeWaiting()
  expect(names()).toContain('Feedback1 new')
})

it('says above the bar what waits in all sections, and when nothing does', async () => {
  const above = () => screen.getByRole('list', { name: 'Waiting' })
  const visit = show()
  expect(above().textContent).toBe('')
  await seeWaiting()
  const links = within(above()).getAllByRole<HTMLAnchorElement>('link')
  expect(links.map(({ textContent, hash }) => [textContent, hash])).toEqual([
    ['Checks\u00a01 failing', '#checks'],
    ['Feedback\u00a02 new', '#feedback'],
  ])
  visit.unmount()
  page.client.clear()
  page.on('GET /api/admin/checks', () => [])
  page.on('GET /api/admin/feedback', () => [])
  show()
  await within(above()).findByText('Nothing waits.')
})

// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { SectionLinks } from './section-links.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

it('shows the number of failing checks and open reports on the links to their sections', async () => {
  page.on('GET /api/admin/waiting', () => ({ failingChecks: 1, openReports: 12 }))
  page.show(<SectionLinks />)
  await screen.findByText('failing', { exact: false })
  const links = within(screen.getByRole('navigation')).getAllByRole<HTMLAnchorElement>('link')
  expect(links.map(({ textContent, hash }) => [textContent, hash]).slice(0, 5)).toEqual([
    ['Numbers', '#numbers'],
    ['Checks1 failing', '#checks'],
    ['Users', '#users'],
    ['Maintenance', '#maintenance'],
    ['Reports12 open', '#reports'],
  ])
})

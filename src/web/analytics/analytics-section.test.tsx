// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { Analytics } from '../../shared/contract/analytics.ts'
import { AnalyticsSection } from './analytics-section.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

const emptyAnalytics: Analytics = {
  kinds: [{ kind: 'image', count: 0, size: 0 }],
  expiringSoon: 0,
  days: [{ day: '2026-11-22', count: 0 }],
  mostDownloaded: [],
}
const emptyText = 'No data yet'

function show(analytics: Analytics) {
  page.on('GET /api/analytics', () => analytics)
  const uploadButton = <button type="button">Upload a file</button>
  page.show(<AnalyticsSection emptyAction={uploadButton} expiringLink={null} />)
}

test('with no files and no downloads, the empty state offers an upload', async () => {
  show(emptyAnalytics)
  await screen.findByText(emptyText)
  expect(page.text()).toContain('Upload a file and send its link.')
  expect(screen.getByRole('button', { name: 'Upload a file' })).toBeTruthy()
  expect(screen.queryByRole('switch', { name: 'Show as table' })).toBeNull()
})

test.each([
  ['a file', { kinds: [{ kind: 'image' as const, count: 1, size: 7 }] }],
  ['a download of a file that is gone', { days: [{ day: '2026-11-22', count: 1 }] }],
])('with %s, shows the charts', async (_, changes) => {
  show({ ...emptyAnalytics, ...changes })
  await screen.findByRole('switch', { name: 'Show as table' })
  expect(page.text()).not.toContain(emptyText)
})

// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  delayedResponse,
  errorResponse,
  openPage,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import { DeletionReceipts } from './deletion-receipts.tsx'

const receiptsEndpoint = 'GET /api/files/receipts'

let page: WebPage
beforeEach(() => {
  page = openPage()
  page.show(<DeletionReceipts />)
})
afterEach(() => page.close())

function makeResponse(names: string[], next?: string) {
  const timestamp = '2030-01-01T00:00:00.000Z'
  const items = names.map((name) => ({
    fileId: name,
    originalName: name,
    dueAt: timestamp,
    purgedAt: timestamp,
  }))
  return Response.json(items, { headers: next ? { 'x-next-cursor': next } : {} })
}

async function press(name: string) {
  await act(async () => fireEvent.click(screen.getByRole('button', { name })))
}
function getShownNames() {
  return screen.queryAllByRole('listitem').map(({ id, textContent }) => id || textContent?.[0])
}
function hasMoreButton() {
  return screen.queryByRole('button', { name: 'Show older' }) !== null
}

test('loads the receipts when the section is opened', async () => {
  page.on(receiptsEndpoint, () => makeResponse(['a']))
  expect(page.requests).toEqual([])
  await press('Show receipts')
  await expect.poll(getShownNames).toEqual(['a'])
  expect(page.requests).toMatchObject([{ query: { limit: '20' } }])
  expect(hasMoreButton()).toBe(false)
  await press('Hide receipts')
  expect(getShownNames()).toEqual([])
})

test('shows the empty state only after loading', async () => {
  const { respond: pendingResponse, resolve } = delayedResponse()
  page.on(receiptsEndpoint, pendingResponse)
  await press('Show receipts')
  expect(page.text()).toContain('Loading the receipts')
  expect(page.text()).not.toContain('You have not deleted any files')
  await act(async () => resolve([]))
  await expect.poll(page.text).toContain('You have not deleted any files')
})

test('can retry a failed load', async () => {
  page.on(receiptsEndpoint, () => errorResponse(500))
  await press('Show receipts')
  await expect.poll(page.text).toContain('The receipts could not be loaded')
  page.on(receiptsEndpoint, () => makeResponse(['a']))
  await press('Try again')
  await expect.poll(getShownNames).toEqual(['a'])
  expect(page.text()).not.toContain('could not be loaded')
})

test('keeps earlier pages when one fails, and can retry it', async () => {
  page.on(receiptsEndpoint, () => makeResponse(['a', 'b'], 'after b'))
  await press('Show receipts')
  await expect.poll(hasMoreButton).toBe(true)
  page.on(receiptsEndpoint, () => errorResponse(503))
  await press('Show older')
  await expect.poll(page.text).toContain('Older receipts could not be loaded.')
  expect([getShownNames(), hasMoreButton()]).toEqual([['a', 'b'], false])

  page.on(receiptsEndpoint, () => makeResponse(['c']))
  await press('Try again')
  await expect.poll(getShownNames).toEqual(['a', 'b', 'c'])
  expect(page.requests.at(-1)?.query).toEqual({ limit: '20', cursor: 'after b' })
  expect(hasMoreButton()).toBe(false)
})

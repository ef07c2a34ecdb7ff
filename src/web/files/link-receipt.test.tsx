// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openClipboard, type TestClipboard } from '../../../tests/support/clipboard.ts'
import { linkFile, listedLink } from '../../../tests/support/upload-fixtures.ts'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { LinkFile } from '../../shared/contract/links.ts'
import { LinkReceipt } from './link-receipt.tsx'

let page: WebPage
let clipboard: TestClipboard
beforeEach(() => {
  page = openPage()
  clipboard = openClipboard()
})
afterEach(() => {
  page.close()
  clipboard.close()
})

function show(changes: Partial<LinkFile>, canRenew = true) {
  const link = listedLink({ files: [linkFile(changes)] })
  page.show(<LinkReceipt link={link} canRenew={canRenew} now={new Date(link.createdAt)} />)
  const times = [...document.querySelectorAll('time')].map((time) => time.dateTime)
  const names = screen.getAllByRole('term').map(({ textContent }) => textContent)
  return { link, times, names }
}

async function copy() {
  await act(async () => fireEvent.click(screen.getByRole('button', { name: /^Copy receipt/ })))
}

test('shows when the file was stored and when its removal is due', () => {
  const { link, names, times } = show({ sha256: 'a'.repeat(64) })
  expect(names).toEqual(['Stored', 'Removal due', 'SHA-256'])
  expect(times).toEqual([link.createdAt, link.maxLifetimeAt])
})

test('the removal is due when the link expires if it cannot be renewed', () => {
  const { link, times } = show({}, false)
  expect(times).toEqual([link.createdAt, link.expiresAt])
})

test('shows when storage confirmed the removal', () => {
  const [dueAt, purgedAt] = ['2025-07-15T10:00:00.000Z', '2025-07-15T10:00:07.000Z']
  const { times } = show({ purgingAt: dueAt, purgeDueAt: dueAt, purgedAt })
  expect(times.slice(1)).toEqual([dueAt, purgedAt])
  expect(page.text()).toContain('Confirmed by storage.')
})

test('can be copied as text', async () => {
  const { link } = show({})
  await copy()
  expect(clipboard.copiedTexts).toHaveLength(1)
  expect(clipboard.copiedTexts[0]).toContain(`File: ${link.name}`)
  await expect.poll(page.text).toContain('Receipt copied')
})

test('shows an error if copying fails', async () => {
  show({})
  clipboard.shouldFail = true
  await copy()
  await expect.poll(page.text).toContain('Copy failedFailed to copy receipt to clipboard.')
})

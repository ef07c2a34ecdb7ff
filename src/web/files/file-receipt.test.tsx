// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openClipboard, type TestClipboard } from '../../../tests/support/clipboard.ts'
import { storedFile } from '../../../tests/support/upload-fixtures.ts'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { FileReceipt } from './file-receipt.tsx'

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

function show(changes: Partial<StoredFile>, canRenew = true) {
  const file = storedFile({ originalName: 'notes.txt', ...changes })
  page.show(<FileReceipt file={file} canRenew={canRenew} now={new Date(file.createdAt)} />)
  const times = [...document.querySelectorAll('time')].map((time) => time.dateTime)
  const names = screen.getAllByRole('term').map(({ textContent }) => textContent)
  return { file, times, names }
}

async function copy() {
  await act(async () => fireEvent.click(screen.getByRole('button', { name: /^Copy receipt/ })))
}

test('shows when the file was stored and when its removal is due', () => {
  const { file, names, times } = show({ sha256: 'a'.repeat(64) })
  expect(names).toEqual(['Stored', 'Removal due', 'SHA-256'])
  expect(times).toEqual([file.createdAt, file.maxLifetimeAt])
})

test('the removal is due when the link expires if it cannot be renewed', () => {
  const { file, times } = show({}, false)
  expect(times).toEqual([file.createdAt, file.expiresAt])
})

test('shows when storage confirmed the removal', () => {
  const [dueAt, purgedAt] = ['2025-07-15T10:00:00.000Z', '2025-07-15T10:00:07.000Z']
  const { times } = show({ purgingAt: dueAt, purgeDueAt: dueAt, purgedAt })
  expect(times.slice(1)).toEqual([dueAt, purgedAt])
  expect(page.text()).toContain('Confirmed by storage.')
})

test('can be copied as text', async () => {
  const { file } = show({})
  await copy()
  expect(clipboard.copiedTexts).toHaveLength(1)
  expect(clipboard.copiedTexts[0]).toContain(`File: ${file.originalName}`)
  await expect.poll(page.text).toContain('Receipt copied')
})

test('shows an error if copying fails', async () => {
  show({})
  clipboard.shouldFail = true
  await copy()
  await expect.poll(page.text).toContain('Copy failedFailed to copy receipt to clipboard.')
})

// @vitest-environment happy-dom
import { act, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { uploadRecord } from '../../../tests/support/upload-facts.ts'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import type { UploadRecord } from './records/upload-record.ts'
import type { UploadsState, UploadsStore } from './uploads-state.ts'
import { useLargestFile } from './use-largest-file.ts'

let page: WebPage
let store: UploadsStore
let largestFile: number | null
beforeEach(() => {
  page = openPage()
  largestFile = null
  page.on('GET /api/files/upload-room', () => ({ largestFile }))
  store = createStore<UploadsState>(() => ({ records: [] }) as unknown as UploadsState)
})
afterEach(() => {
  vi.useRealTimers()
  page.close()
})

function setRecords(...records: UploadRecord[]) {
  act(() => store.setState({ records }))
}

test('it is what the server says, and asked again when an upload is refused for want of space', async () => {
  const { result } = page.run(() => useLargestFile(store))
  expect(result.current).toBeNull()
  await waitFor(() => expect(page.asked).toHaveLength(1))
  largestFile = 1000
  setRecords(uploadRecord({ status: 'failed', error: 'Away', code: null }))
  const refused = uploadRecord({ id: '2', status: 'failed', error: 'Full', code: 'STORAGE_FULL' })
  setRecords(refused)
  await waitFor(() => expect(result.current).toBe(1000))
  expect(page.asked).toHaveLength(2)
  setRecords()
  setRecords(refused)
  await waitFor(() => expect(page.asked).toHaveLength(3))
})

test('it is asked every five minutes, and each minute while space is short', async () => {
  vi.useFakeTimers()
  page.run(() => useLargestFile(store))
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  await pass(5 * minuteInMs - 1)
  expect(page.asked).toHaveLength(1)
  largestFile = 0
  await pass(1)
  expect(page.asked).toHaveLength(2)
  await pass(minuteInMs)
  expect(page.asked).toHaveLength(3)
})

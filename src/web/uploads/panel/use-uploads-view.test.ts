// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { uploadRecord } from '../../../../tests/support/upload-facts.ts'
import type { UploadsState } from '../uploads-state.ts'
import { refreshMs } from './follow-uploads.ts'
import { useUploadsView } from './use-uploads-view.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function storeAt(progress: number) {
  const state = { records: recordsAt(progress) } as unknown as UploadsState
  return createStore<UploadsState>(() => state)
}

function recordsAt(progress: number) {
  return [uploadRecord({ status: 'uploading', progress })]
}

function view(store: ReturnType<typeof storeAt>) {
  const { result, rerender } = renderHook((props) => useUploadsView(props), {
    initialProps: store,
  })
  return { progress: () => result.current.records[0]?.progress, become: rerender }
}

test('it shows the uploads as they are, and progress once a second', () => {
  const store = storeAt(10)
  const { progress } = view(store)
  expect(progress()).toBe(10)
  act(() => {
    store.setState({ records: recordsAt(20) })
    vi.advanceTimersByTime(1)
  })
  expect(progress()).toBe(20)
  act(() => {
    store.setState({ records: recordsAt(30) })
    vi.advanceTimersByTime(refreshMs - 2)
  })
  expect(progress()).toBe(20)
  act(() => void vi.advanceTimersByTime(2))
  expect(progress()).toBe(30)
})

test('it follows the store that it is given', () => {
  const { progress, become } = view(storeAt(10))
  const other = storeAt(50)
  become(other)
  expect(progress()).toBe(50)
  act(() => {
    other.setState({ records: recordsAt(60) })
    vi.advanceTimersByTime(refreshMs)
  })
  expect(progress()).toBe(60)
})

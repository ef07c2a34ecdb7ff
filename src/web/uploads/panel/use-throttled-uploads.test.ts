// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { uploadRecord } from '../../../../tests/support/upload-fixtures.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'
import { useThrottledUploads } from './use-throttled-uploads.ts'

let store: UploadsStore
let hook: ReturnType<typeof renderHook<UploadsState, unknown>>
let renderCount: number

beforeEach(() => {
  vi.useFakeTimers()
  store = createStore<UploadsState>(() => makeState(10))
  renderCount = 0
  hook = renderHook(() => {
    renderCount += 1
    return useThrottledUploads(store)
  })
})
afterEach(() => {
  hook.unmount()
  vi.useRealTimers()
})

function makeState(progress: number, changes: Partial<UploadRecord> = {}) {
  const records = [uploadRecord({ status: 'uploading', progress, ...changes })]
  return { records, otherTabIds: new Set() } as unknown as UploadsState
}

function advance(ms: number) {
  act(() => void vi.advanceTimersByTime(ms))
}

function getShownProgress() {
  return hook.result.current.records[0]?.progress
}

test('progress is updated once a second, and no timer runs without changes', () => {
  expect(vi.getTimerCount()).toBe(0)
  const renderCountBefore = renderCount
  for (let progress = 11; progress <= 35; progress += 1) {
    act(() => store.setState(makeState(progress)))
    advance(100)
  }
  expect(renderCount - renderCountBefore).toBe(3)
  advance(2000)
  expect(getShownProgress()).toBe(35)
  expect(vi.getTimerCount()).toBe(0)
})

test('a status change is shown immediately, even while progress is throttled', () => {
  act(() => store.setState(makeState(20)))
  act(() => store.setState(makeState(21)))
  expect(getShownProgress()).toBe(20)
  act(() => store.setState(makeState(22, { status: 'paused' })))
  expect(getShownProgress()).toBe(22)
})

test('many changes cause one update', () => {
  const renderCountBefore = renderCount
  for (let index = 0; index < 100; index += 1) {
    act(() => store.setState(makeState(index, { error: String(index) })))
    advance(10)
  }
  expect(renderCount - renderCountBefore).toBeLessThanOrEqual(11)
})

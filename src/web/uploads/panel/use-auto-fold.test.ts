// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-facts.ts'
import { foldAfterMs } from './auto-fold.ts'
import { useAutoFold } from './use-auto-fold.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function completed() {
  return [uploadRecord({ status: 'completed', lastActivity: Date.now() })]
}

test('the panel folds after the last upload, and unfolds for the next', () => {
  const { result, rerender } = renderHook(({ records }) => useAutoFold(records), {
    initialProps: { records: [uploadRecord({ status: 'uploading' })] },
  })
  const isFolded = () => result.current[0]
  act(() => void vi.advanceTimersByTime(10 * foldAfterMs))
  expect(isFolded()).toBe(false)
  rerender({ records: completed() })
  act(() => void vi.advanceTimersByTime(foldAfterMs - 1))
  expect(isFolded()).toBe(false)
  act(() => void vi.advanceTimersByTime(1))
  expect(isFolded()).toBe(true)
  rerender({ records: [...completed(), uploadRecord({ id: '2', status: 'pending' })] })
  expect(isFolded()).toBe(false)
})

test('a panel that has gone waits for nothing', () => {
  const { unmount } = renderHook(() => useAutoFold(completed()))
  expect(vi.getTimerCount()).toBe(1)
  unmount()
  expect(vi.getTimerCount()).toBe(0)
})

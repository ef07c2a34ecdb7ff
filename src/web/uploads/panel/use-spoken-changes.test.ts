// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { useSpokenChanges } from './use-spoken-changes.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function upload(status: UploadStatus): UploadRecord[] {
  return [uploadRecord({ fileName: 'a.mp4', status })]
}

function speak(records: UploadRecord[], told: readonly UploadStatus[] = []) {
  const { result, rerender, unmount } = renderHook((props) => useSpokenChanges(props, told), {
    initialProps: records,
  })
  const after = (waitMs: number) => {
    act(() => void vi.advanceTimersByTime(waitMs))
    return result.current
  }
  return { after, become: rerender, unmount }
}

test('what changes within a second is said in one sentence at its end', () => {
  const { after, become } = speak(upload('uploading'))
  become(upload('paused'))
  expect(after(999)).toBe('')
  become(upload('failed'))
  expect(after(1)).toBe('a.mp4: Upload failed')
})

test('what has gone back within the second is not said', () => {
  const { after, become } = speak(upload('uploading'))
  become(upload('paused'))
  become(upload('uploading'))
  expect(after(1000)).toBe('')
})

test('a sentence stays until there is another, and what was said is not said again', () => {
  const { after, become } = speak(upload('uploading'))
  become(upload('paused'))
  expect(after(1000)).toBe('a.mp4: Upload paused')
  become(upload('paused'))
  expect(after(5000)).toBe('a.mp4: Upload paused')
  become(upload('completed'))
  expect(after(1000)).toBe('a.mp4: Upload completed')
})

test('what a toast tells is not said', () => {
  const { after, become } = speak(upload('uploading'), ['completed'])
  become(upload('completed'))
  expect(after(1000)).toBe('')
})

test('a panel that has gone says nothing', () => {
  const { become, unmount } = speak(upload('uploading'))
  become(upload('paused'))
  unmount()
  expect(vi.getTimerCount()).toBe(0)
})

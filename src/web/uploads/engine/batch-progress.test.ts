import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-fixtures.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import { BatchProgress } from './batch-progress.ts'
import { toCancelled } from './upload-state.ts'

let notices: string[]
let progress: BatchProgress
let records: Map<string, UploadRecord>

beforeEach(() => {
  vi.useFakeTimers()
  notices = []
  records = new Map()
  progress = new BatchProgress({
    timers: browserTimers,
    list: { drop: () => [...records.values()], isClaimed: () => true },
    onNotice: (notice) => void ('description' in notice && notices.push(notice.description ?? '')),
    onOutcome: () => undefined,
  })
})
afterEach(() => {
  vi.useRealTimers()
})

function changeUpload(id: string, changes: Partial<UploadRecord>) {
  const before = records.get(id) ?? null
  const after = { ...(before ?? uploadRecord({ id })), ...changes }
  records.set(id, after)
  progress.update(before, after)
}
function addUploads(ids: Iterable<string>) {
  for (const id of ids) changeUpload(id, {})
}
const completedState = { status: 'completed' } as const
const failedState = { status: 'failed', error: 'Upload failed' } as const

test('a drop whose files are all stored shows success for 2 s', () => {
  addUploads('ab')
  changeUpload('a', completedState)
  expect(progress.outcome).toBeNull()
  changeUpload('b', completedState)
  expect(progress.outcome).toBe('Upload completed successfully!')
  vi.advanceTimersByTime(2000)
  expect(progress.outcome).toBeNull()
})

test('a file that fails and is retried is counted once', () => {
  addUploads('abc')
  changeUpload('a', failedState)
  changeUpload('b', failedState)
  changeUpload('b', { status: 'pending' })
  changeUpload('b', completedState)
  changeUpload('c', completedState)
  expect(progress.outcome).toBe('2 of 3 files uploaded')
})

test("cancelled and paused uploads aren't counted", () => {
  addUploads('abc')
  changeUpload('a', toCancelled(uploadRecord(), 0))
  changeUpload('b', { status: 'paused' })
  changeUpload('c', completedState)
  expect(progress.outcome).toBe('Upload completed successfully!')
})

test("a drop cancelled as a whole has the outcome 'Cancelled by user'", () => {
  addUploads('ab')
  for (const id of 'ab') changeUpload(id, toCancelled(uploadRecord(), 0))
  expect(progress.outcome).toBe('Cancelled by user')
})

test('background uploads have no outcome', () => {
  changeUpload('a', { path: 'background' })
  changeUpload('a', completedState)
  expect(progress.outcome).toBeNull()
})

test('a large drop gets one notice when it ends, and one after each retry', () => {
  addUploads('abcdefghijk')
  for (const id of 'cdefghijk') changeUpload(id, completedState)
  changeUpload('b', failedState)
  expect(notices).toEqual([])
  changeUpload('a', completedState)
  expect(notices).toEqual(['10 of 11 files uploaded'])
  changeUpload('b', { status: 'pending' })
  changeUpload('b', completedState)
  expect(notices.slice(1)).toEqual(['11 files uploaded successfully'])
})

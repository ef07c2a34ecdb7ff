import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-fixtures.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import { BatchProgress } from './batch-progress.ts'
import { toCancelled } from './upload-state.ts'

let dropSize: number
let notices: string[]
let progress: BatchProgress
let records: Map<string, UploadRecord>

beforeEach(() => {
  vi.useFakeTimers()
  dropSize = 2
  notices = []
  records = new Map()
  progress = new BatchProgress(browserTimers, {
    onNotice: (notice) => void ('description' in notice && notices.push(notice.description ?? '')),
    dropSize: () => dropSize,
    onOutcome: () => undefined,
  })
})
afterEach(() => {
  vi.useRealTimers()
})

function change(id: string, changes: Partial<UploadRecord>) {
  const before = records.get(id) ?? null
  const after = { ...(before ?? uploadRecord({ id })), ...changes }
  records.set(id, after)
  progress.update(before, after)
}
function addAll(ids: Iterable<string>) {
  for (const id of ids) change(id, {})
}
const stored = { status: 'completed' } as const
const failed = { status: 'failed', error: 'Upload failed' } as const

test('a batch whose files are all stored shows success for 2 s', () => {
  addAll('ab')
  change('a', stored)
  expect(progress.outcome).toBeNull()
  change('b', stored)
  expect(progress.outcome).toBe('Upload completed successfully!')
  vi.advanceTimersByTime(2000)
  expect(progress.outcome).toBeNull()
})

test('a file that fails and is retried is counted once', () => {
  addAll('abc')
  change('a', failed)
  change('b', failed)
  change('b', { status: 'pending' })
  change('b', stored)
  change('c', stored)
  expect(progress.outcome).toBe('2 of 3 files uploaded')
})

test("cancelled and paused uploads aren't counted", () => {
  addAll('abc')
  change('a', toCancelled(uploadRecord(), 0))
  change('b', { status: 'paused' })
  change('c', stored)
  expect(progress.outcome).toBe('Upload completed successfully!')
})

test("a batch cancelled as a whole has the outcome 'Cancelled by user'", () => {
  addAll('ab')
  progress.cancelForeground()
  for (const id of 'ab') change(id, toCancelled(uploadRecord(), 0))
  expect(progress.outcome).toBe('Cancelled by user')
  addAll('c')
  change('c', stored)
  expect(progress.outcome).toBe('Upload completed successfully!')
})

test('background uploads have no outcome', () => {
  change('a', { path: 'background' })
  change('a', stored)
  expect(progress.outcome).toBeNull()
})

test('a large drop gets one notice when it ends, and one after each retry', () => {
  dropSize = 11
  addAll('abc')
  change('a', stored)
  change('b', failed)
  expect(notices).toEqual([])
  change('c', stored)
  expect(notices).toEqual(['2 of 3 files uploaded'])
  change('b', { status: 'pending' })
  change('b', stored)
  expect(notices.slice(1)).toEqual(['1 file uploaded successfully'])
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-facts.ts'
import { browserTimers } from '../timers.ts'
import { createRecordMirror, type RecordMirror } from './record-mirror.ts'

function json(id: string) {
  return JSON.stringify(uploadRecord({ id }))
}

let mirror: RecordMirror
let changes: number

beforeEach(() => {
  vi.useFakeTimers()
  changes = 0
  mirror = createRecordMirror(
    () => [uploadRecord({ id: '2' })],
    browserTimers,
    () => {
      changes += 1
    },
  )
})
afterEach(() => {
  vi.useRealTimers()
})

function ids() {
  return mirror.records().map(({ id }) => id)
}

test('shows what storage held, and what is written to it since, oldest first', () => {
  expect(ids()).toEqual(['2'])
  mirror.hear('mayfly.upload.1', json('1'))
  expect(ids()).toEqual(['1', '2'])
  mirror.hear('mayfly.upload.1', null)
  expect(ids()).toEqual(['2'])
})

test('leaves out what cannot be read, and what stands under a key that is not its own', () => {
  mirror.hear('mayfly.upload.2', '{}')
  mirror.hear('mayfly.upload.1', json('3'))
  expect(ids()).toEqual([])
})

test('is empty once somebody cleared the storage', () => {
  mirror.hear(null, null)
  expect(ids()).toEqual([])
})

test('shows many changes together, and other keys are no change', () => {
  mirror.hear('mayfly.theme', 'dark')
  expect(changes).toBe(0)
  for (const id of ['1', '3', '4']) mirror.hear(`mayfly.upload.${id}`, json(id))
  expect(changes).toBe(1)
  vi.advanceTimersByTime(100)
  expect(changes).toBe(2)
  vi.advanceTimersByTime(100)
  expect(vi.getTimerCount()).toBe(0)
})

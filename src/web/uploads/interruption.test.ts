import { expect, test } from 'vitest'
import { type Interruption, interruptionOf, interruptionOfAll } from './interruption.ts'
import type { UploadStatus } from './records/upload-record.ts'

/** Each upload by its status, and why its last try was lost, if it was: 'pending no-answer'. */
const ofAll = (...uploads: (UploadStatus | `${UploadStatus} ${Interruption}`)[]) =>
  interruptionOfAll(
    uploads.map((upload, id) => ({
      id: String(id),
      status: upload.split(' ')[0] as UploadStatus,
    })),
    Object.fromEntries(
      uploads.map((upload, id) => {
        const interrupted = (upload.split(' ')[1] ?? null) as Interruption | null
        return [String(id), { interrupted, bytesPerSecond: null }]
      }),
    ),
  )

test('nothing gets through: what was begun is lost, the rest waits for its turn', () => {
  expect(ofAll('uploading no-answer')).toBe('no-answer')
  expect(ofAll('pending no-answer', 'pending', 'failed')).toBe('no-answer')
  expect(ofAll('uploading no-answer', 'uploading no-answer', 'pending')).toBe('no-answer')
})

test('the connection is there where any of them was answered', () => {
  expect(ofAll('uploading not-ready', 'pending')).toBe('not-ready')
  expect(ofAll('uploading no-answer', 'pending not-ready')).toBe('not-ready')
})

test('something moves, or nothing is under way', () => {
  expect(ofAll('uploading no-answer', 'uploading')).toBeNull()
  expect(ofAll('uploading', 'pending not-ready')).toBeNull()
  expect(ofAll('completed', 'pending')).toBeNull()
  expect(ofAll('paused', 'failed', 'completed')).toBeNull()
  expect(ofAll()).toBeNull()
})

test.each([
  [500, 'not-ready'],
  [503, 'not-ready'],
  [429, 'no-answer'],
  [409, 'no-answer'],
])('an answer of %i is told as %s', (status, told) => {
  const rest = { code: null, uploadOffset: null, retryAfterMs: null }
  expect(interruptionOf({ kind: 'answer', status, ...rest })).toBe(told)
})

test.each(['network', 'timeout', 'stalled'] as const)('%s is no answer', (kind) => {
  expect(interruptionOf({ kind })).toBe('no-answer')
})

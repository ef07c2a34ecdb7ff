import { expect, test } from 'vitest'
import type { UploadStatus } from './records/upload-record.ts'
import { waitsForConnection } from './waits-for-connection.ts'

/** Each upload by its status; 'pending lost' is one of which a try was lost. */
const waits = (...uploads: (UploadStatus | `${UploadStatus} lost`)[]) =>
  waitsForConnection(
    uploads.map((upload, id) => ({
      id: String(id),
      status: upload.split(' ')[0] as UploadStatus,
    })),
    Object.fromEntries(
      uploads.map((upload, id) => [
        String(id),
        { interrupted: upload.endsWith(' lost'), bytesPerSecond: null },
      ]),
    ),
  )

test('nothing gets through: what was begun is lost, the rest waits for its turn', () => {
  expect(waits('uploading lost')).toBe(true)
  expect(waits('pending lost', 'pending', 'failed')).toBe(true)
  expect(waits('uploading lost', 'uploading lost', 'pending')).toBe(true)
})

test('something moves, or nothing is under way', () => {
  expect(waits('uploading lost', 'uploading')).toBe(false)
  expect(waits('uploading', 'pending lost')).toBe(false)
  expect(waits('completed', 'pending')).toBe(false)
  expect(waits('paused', 'failed', 'completed')).toBe(false)
  expect(waits()).toBe(false)
})

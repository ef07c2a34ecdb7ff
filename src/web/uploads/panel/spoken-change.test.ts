import { expect, it } from 'vitest'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { spokenChange } from './spoken-change.ts'

function uploads(statuses: Record<string, UploadStatus>, error: string | null = null) {
  return Object.entries(statuses).map(([id, status]) => ({
    id,
    status,
    error,
    fileName: `${id}.mp4`,
  })) as UploadRecord[]
}

it('names the one upload that changed', () => {
  const before = uploads({ a: 'uploading', b: 'pending' })
  expect(spokenChange(before, uploads({ a: 'paused', b: 'pending' }), [])).toBe(
    'a.mp4: Upload paused',
  )
  expect(spokenChange(before, uploads({ a: 'completed' }), [])).toBe('a.mp4: Upload completed')
  expect(spokenChange(before, uploads({ a: 'failed' }, 'Network error during upload'), [])).toBe(
    'a.mp4: Upload failed. Network error during upload',
  )
})

it('counts several', () => {
  const before = uploads({ a: 'uploading', b: 'uploading', c: 'pending', d: 'pending' })
  const after = uploads({ a: 'completed', b: 'completed', c: 'failed', d: 'pending' })
  expect(spokenChange(before, after, [])).toBe('Upload completed: 2, Upload failed: 1')
})

it('says when uploads begin and when one goes on', () => {
  expect(spokenChange([], uploads({ a: 'pending' }), [])).toBe('Uploading a.mp4')
  expect(spokenChange([], uploads({ a: 'uploading', b: 'pending' }), [])).toBe('Uploading 2 files')
  expect(spokenChange(uploads({ a: 'paused' }), uploads({ a: 'pending' }), [])).toBe(
    'a.mp4: Upload resumed',
  )
})

it('says nothing of progress, of turns, of what is told elsewhere, and of what has gone', () => {
  const before = uploads({ a: 'uploading' })
  expect(spokenChange(before, uploads({ a: 'uploading' }), [])).toBeNull()
  expect(spokenChange(before, uploads({ a: 'uploading', b: 'pending' }), [])).toBeNull()
  expect(spokenChange(uploads({ a: 'pending' }), uploads({ a: 'uploading' }), [])).toBeNull()
  expect(spokenChange(before, uploads({ a: 'completed' }), ['completed', 'failed'])).toBeNull()
  expect(spokenChange(before, [], [])).toBeNull()
})

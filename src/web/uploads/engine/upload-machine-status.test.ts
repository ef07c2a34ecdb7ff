import { describe, expect, test } from 'vitest'
import {
  record,
  start,
  stepOf,
  ticket,
  types,
  uploading,
} from '../../../../tests/support/machine-steps.ts'
import { refusal, storedFile } from '../../../../tests/support/upload-facts.ts'
import type { UploadStatus } from '../records/upload-record.ts'
import { canResumeByItself } from './upload-machine.ts'

const hour = 3_600_000

describe('the status of an upload (spec §4)', () => {
  test('pending becomes uploading when the transfer starts', () => {
    const asked = stepOf(record(), { type: 'turn-began', hasFile: true })
    expect(asked.record?.status).toBe('pending')
    expect(asked.effects).toEqual([{ type: 'get-ticket', instead: null }])
    const { record: next, effects } = stepOf(record(), { type: 'ticket', ticket })
    expect(next).toMatchObject({ status: 'uploading', ticket, uploadStartTime: start + 1000 })
    expect(effects).toContainEqual({ type: 'transfer', ticket, held: [], resumed: false })
  })

  test('uploading becomes completed after the transfer and the confirmation succeeded', () => {
    const sent = stepOf(uploading, { type: 'sent' })
    expect(sent.record).toMatchObject({ status: 'uploading', progress: 100, uploadedBytes: 1000 })
    expect(sent.effects).toContainEqual({ type: 'confirm', ticket, stage: 'confirm' })
    const done = stepOf(uploading, { type: 'confirmed', file: storedFile() })
    expect(done.record?.status).toBe('completed')
    expect(types(done.effects)).toEqual([
      'end-turn',
      'save',
      'release-data',
      'refresh-list',
      'tell',
    ])
  })

  test('progress is what the transfer tells, down too, and never past either end', () => {
    const progress = (from: number, bytes: number) =>
      stepOf({ ...uploading, uploadedBytes: from }, { type: 'progress', bytes })
    expect(progress(0, 750).record).toMatchObject({ uploadedBytes: 750, progress: 75 })
    expect(progress(750, 400).record).toMatchObject({ uploadedBytes: 400, progress: 40 })
    expect(progress(750, 0).record).toMatchObject({ uploadedBytes: 0, progress: 0 })
    expect(progress(750, -5).record).toMatchObject({ uploadedBytes: 0, progress: 0 })
    expect(progress(750, 2000).record).toMatchObject({ uploadedBytes: 1000, progress: 100 })
    expect(progress(750, 750).effects).toEqual([])
    expect(types(progress(750, 400).effects)).toEqual(['save'])
  })

  test.each([
    ['foreground', 'status', 403, 'Upload failed with status 403'],
    ['foreground', 'network', null, 'Network error during upload'],
    ['foreground', 'timeout', null, 'Upload failed'],
    ['background', 'status', 403, 'Upload failed with status 403'],
    ['background', 'network', null, 'Network error during upload'],
    ['background', 'timeout', null, 'Network error during upload'],
  ] as const)('%s: a transfer that ends by %s %s fails with: %s', (path, kind, status, error) => {
    const { record: next, effects } = stepOf(
      { ...uploading, path },
      { type: 'transfer-failed', kind, status },
    )
    expect(next).toMatchObject({ status: 'failed', error })
    // The server keeps the stored bytes for the next attempt.
    expect(types(effects)).not.toContain('abort-on-server')
  })

  test.each([
    ['status', 403, 'Direct S3 upload failed with status 403'],
    ['timeout', null, 'Direct S3 upload failed'],
  ] as const)(
    'to a bucket, a transfer that ends by %s %s fails with: %s',
    (kind, status, error) => {
      const toBucket = { ...uploading, ticket: { ...ticket, store: 's3' as const } }
      const failed = stepOf(toBucket, { type: 'transfer-failed', kind, status })
      expect(failed.record).toMatchObject({ status: 'failed', error })
    },
  )

  test('nothing is said of S3 where the record does not know where the bytes go', () => {
    const { store: _, ...older } = ticket
    for (const unknown of [older, null]) {
      const event = { type: 'transfer-failed', kind: 'status', status: null } as const
      const failed = stepOf({ ...uploading, ticket: unknown }, event)
      expect(failed.record).toMatchObject({ status: 'failed', error: 'Upload failed' })
    }
  })

  test.each([
    ['foreground', refusal(500), 'Failed to confirm upload'],
    ['foreground', refusal(409, 'SIZE_MISMATCH', 'It differs.'), 'It differs.'],
    ['background', refusal(500), 'Upload confirmation failed: 500 - '],
    [
      'background',
      { ...refusal(502), body: 'Bad gateway' },
      'Upload confirmation failed: 502 - Bad gateway',
    ],
    [
      'background',
      refusal(409, null, 'It differs.'),
      'Upload confirmation failed: 409 - It differs.',
    ],
  ] as const)('%s: a confirmation refused with %j fails with: %s', (path, refused, error) => {
    const event = { type: 'refused', stage: 'confirm', refusal: refused } as const
    expect(stepOf({ ...uploading, path }, event).record).toMatchObject({ status: 'failed', error })
  })

  test.each(['foreground', 'background'] as const)(
    '%s: content that was taken down ends the upload, on the server too, and is not tried again',
    (path) => {
      const event = {
        type: 'refused',
        stage: 'confirm',
        refusal: refusal(409, 'CONTENT_BLOCKED', 'It was taken down.'),
      } as const
      const { record: next, effects } = stepOf({ ...uploading, path }, event)
      expect(next).toMatchObject({ status: 'failed', error: 'It was taken down.', ticket: null })
      expect(types(effects)).toContain('release-data')
      const blocked = next ?? uploading
      expect(stepOf(blocked, { type: 'resume', data: 'ready' }).record).toBe(blocked)
      expect(stepOf(blocked, { type: 'lacks', need: 'file' }).record).toBe(blocked)
      // The server has no such upload any more, so nothing is aborted there.
      expect(types(stepOf(blocked, { type: 'cancel' }).effects)).not.toContain('abort-on-server')
    },
  )

  test("cancelling ends it as 'Cancelled by user' and frees the slot", () => {
    const { record: next, effects } = stepOf(uploading, { type: 'cancel' })
    expect(next).toMatchObject({ status: 'failed', error: 'Cancelled by user', ticket: null })
    expect(effects).toEqual([
      { type: 'end-turn' },
      { type: 'save' },
      { type: 'abort-on-server', cloudKey: 'key' },
      { type: 'release-data' },
      { type: 'forget-soon' },
    ])
  })

  test('a cancelled upload cannot be tried again, and is forgotten soon', () => {
    const cancelled = stepOf(uploading, { type: 'cancel' }).record ?? uploading
    expect(stepOf(cancelled, { type: 'resume', data: 'ready' }).record).toBe(cancelled)
    const gone = stepOf(cancelled, { type: 'forget' })
    expect(gone.record).toBeNull()
    expect(types(gone.effects)).not.toContain('abort-on-server')
    // Only a cancelled record is removed.
    expect(stepOf(uploading, { type: 'forget' }).record).toBe(uploading)
  })

  test('failed is removed at once when it is dismissed, and its slot is freed', () => {
    const dismissed = stepOf(record({ status: 'failed', error: 'Full.', ticket }), {
      type: 'cancel',
    })
    expect(dismissed.record).toBeNull()
    expect(types(dismissed.effects)).toContain('abort-on-server')
  })

  test.each(['pending', 'uploading'] as const)('%s becomes paused at load', (status) => {
    const { record: next } = stepOf({ ...uploading, status }, { type: 'halt' })
    expect(next).toMatchObject({ status: 'paused', need: null })
  })

  test('paused resumes by itself after more than 5 s, unless a person is needed', () => {
    const paused = record({ status: 'paused' })
    expect(canResumeByItself(paused, start + 5000)).toBe(false)
    expect(canResumeByItself(paused, start + 5001)).toBe(true)
    // The clock has been set back since the upload was paused.
    expect(canResumeByItself(paused, start - hour)).toBe(true)
    expect(canResumeByItself({ ...paused, need: 'file' }, start + hour)).toBe(false)
    expect(canResumeByItself({ ...paused, need: 'sign-in' }, start + hour)).toBe(false)
    expect(canResumeByItself({ ...paused, status: 'failed' }, start + hour)).toBe(false)
  })

  test('resuming works only if the file data is there', () => {
    const paused = record({ status: 'paused', ticket })
    const resumed = (data: 'ready' | 'file' | 'permission' | 'gone', pasted = false) =>
      stepOf({ ...paused, pasted }, { type: 'resume', data }).record
    expect(resumed('ready')).toMatchObject({ status: 'pending', need: null })
    expect(resumed('file')).toMatchObject({ status: 'paused', need: 'file' })
    expect(resumed('permission')).toMatchObject({ status: 'paused', need: 'permission' })
    const lost = {
      status: 'failed',
      error: 'Resume failed - file data lost. Please restart upload.',
    }
    expect(resumed('gone')).toMatchObject(lost)
    expect(resumed('file', true)).toMatchObject(lost)
  })

  test.each(['completed', 'failed'] as const)('%s is removed after 24 hours', (status) => {
    const ended = record({ status })
    expect(stepOf(ended, { type: 'tick' }, start + 24 * hour).record).toBe(ended)
    expect(stepOf(ended, { type: 'tick' }, start + 24 * hour + 1).record).toBeNull()
  })

  test('clearing frees the slot of a failed one; a completed one is a file and stays that', () => {
    const cleared = (status: UploadStatus) =>
      types(stepOf({ ...uploading, status }, { type: 'clear' }).effects)
    expect(cleared('failed')).toContain('abort-on-server')
    expect(cleared('completed')).not.toContain('abort-on-server')
    expect(cleared('uploading')).toEqual([])
  })
})

import { expect, test } from 'vitest'
import { cleanedUp, expiredFiles, expiredTrials, sanitized, tested } from './maintenance-text.ts'

test.each([
  [cleanedUp({ deletedCount: 0 }), '0 files deleted: none was over'],
  [cleanedUp({ deletedCount: 1 }), '1 file deleted'],
  [cleanedUp({ deletedCount: 1_234_567 }), '1,234,567 files deleted'],
  [expiredFiles({ expiredCount: 0, failed: 0 }), 'Bytes of 0 files removed: none was over'],
  [expiredFiles({ expiredCount: 1, failed: 0 }), 'Bytes of 1 file removed'],
  [expiredTrials({ expiredCount: 0 }), '0 trials ended: none was over'],
  [expiredTrials({ expiredCount: 1 }), '1 trial ended'],
  [sanitized({ updated: 4, errors: 0 }), '4 names changed, 0 errors'],
  [sanitized({ updated: 1, errors: 1 }), '1 name changed, 1 error'],
])('%j', (outcome, text) => expect(outcome).toEqual({ ok: true, text }))

test('bytes that storage did not remove are told beside those that it did', () => {
  expect(expiredFiles({ expiredCount: 12, failed: 2 })).toEqual({
    ok: true,
    text: 'Bytes of 12 files removed, 2 failed',
    note: 'The server tries again by itself. Test the storage connection to see why.',
  })
})

test('a test says what the server said, in success and in failure', () => {
  expect(tested(true, 'Connected', 'Failed', 'It works.')).toEqual({
    ok: true,
    text: 'Connected',
    note: 'It works.',
  })
  expect(tested(false, 'Connected', 'Failed', 'No bucket.')).toEqual({
    ok: false,
    text: 'Failed',
    note: 'No bucket.',
  })
})

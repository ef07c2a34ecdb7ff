import { expect, test } from 'vitest'
import {
  cleanedUp,
  expiredFiles,
  expiredTrials,
  rememberedOutcome,
  sanitized,
  tested,
} from './maintenance-actions.ts'

test.each([
  [cleanedUp({ deletedCount: 0 }), '0 files deleted: none had expired'],
  [cleanedUp({ deletedCount: 1 }), '1 file deleted'],
  [cleanedUp({ deletedCount: 1_234_567 }), '1,234,567 files deleted'],
  [expiredFiles({ expiredCount: 0, failed: 0 }), 'Bytes of 0 files removed: none had expired'],
  [expiredFiles({ expiredCount: 1, failed: 0 }), 'Bytes of 1 file removed'],
  [expiredTrials({ expiredCount: 0 }), '0 trials ended: none had expired'],
  [expiredTrials({ expiredCount: 1 }), '1 trial ended'],
  [sanitized({ updated: 4, errors: 0 }), '4 names changed, 0 errors'],
  [sanitized({ updated: 1, errors: 1 }), '1 name changed, 1 error'],
])('%j', (outcome, text) => expect(outcome).toEqual({ ok: true, text }))

test('bytes that storage did not remove are told beside those that it did', () => {
  expect(expiredFiles({ expiredCount: 12, failed: 2 })).toEqual({
    ok: true,
    text: 'Bytes of 12 files removed, 2 failed',
    note: 'The server retries by itself. Test the storage connection to see why.',
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

test.each([
  ['clean-up-expired', { deletedCount: 1234 }, true, '1,234 files deleted'],
  ['clean-up-expired', { deletedCount: 7, totalDeleted: 10_007 }, true, '10,007 files deleted'],
  [
    'expire-files',
    { expiredCount: 0, failed: 0 },
    true,
    'Bytes of 0 files removed: none had expired',
  ],
  ['expire-files', { expiredCount: 12, failed: 2 }, true, 'Bytes of 12 files removed, 2 failed'],
  // Lines of older versions do not count failures.
  ['expire-files', { expiredCount: 12 }, true, 'Bytes of 12 files removed'],
  ['expire-files', { expiredCount: 0, failed: 3 }, false, 'Failed to expire files'],
  ['expire-trials', { expiredCount: 3 }, true, '3 trials ended'],
  ['sanitize-file-names', { updated: 4, errors: 0 }, true, '4 names changed, 0 errors'],
  ['sanitize-file-names', { updated: 2001, errors: 1 }, true, '2,001 names changed, 1 error'],
  ['test-mail', { success: true }, true, '1 email sent'],
  ['test-mail', { success: true, toOutbox: false }, true, '1 email sent'],
  ['test-mail', { success: true, toOutbox: true }, true, '1 email written'],
  ['test-mail', { success: false }, false, 'Failed to test email notification'],
  ['test-storage', { connected: true }, true, 'Connected'],
  ['test-storage', { connected: false }, false, 'Failed to test S3 connection'],
  ['test-storage-upload', { size: 1_048_576 }, null, 'Upload of 1 MB begun'],
  ['test-mail', {}, null, 'Done'],
] as const)('by its line in the audit log, %s did %j', (act, details, ok, text) => {
  expect(rememberedOutcome(act, details)).toMatchObject({ ok, text })
})

test('of bytes that storage kept it is said how many files have them, and what becomes of them', () => {
  expect(rememberedOutcome('expire-files', { expiredCount: 0, failed: 1 }).note).toBe(
    'Storage did not remove the bytes of 1 file. The server retries by itself.',
  )
})

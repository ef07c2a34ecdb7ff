import { expect, test } from 'vitest'
import { toExpireFilesOutcome } from './maintenance-actions.ts'

test('reports the number of files whose bytes could not be removed', () => {
  expect(toExpireFilesOutcome({ expiredCount: 12, failed: 2 })).toEqual({
    ok: true,
    text: 'Bytes of 12 files removed, 2 failed',
    note: 'The server retries by itself. Test the storage connection to see why.',
  })
})

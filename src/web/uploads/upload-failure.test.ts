import { describe, expect, test } from 'vitest'
import { errorTable } from '../../shared/contract/errors.ts'
import { failureNotice, mayPass, refusalText, stopsTheRest } from './upload-failure.ts'

const refusal = (
  status: number | null,
  code: string | null = null,
  message: string | null = null,
) => ({
  status,
  code,
  message,
})

describe('the words of a failure', () => {
  test("the server's message field, else the words of the spec", () => {
    expect(refusalText('start', refusal(403, null, 'No.'))).toBe('No.')
    expect(refusalText('start', refusal(500))).toBe('Failed to get upload URL')
    expect(refusalText('confirm', refusal(500, null, ' '))).toBe('Failed to confirm upload')
  })

  test.each([
    errorTable.TIER_FILE_COUNT.message,
    errorTable.TIER_FILE_SIZE.message,
    errorTable.TIER_EXPIRATION.message,
  ])("an upload error containing 'tier' or 'Upgrade' is shown inline: %s", (message) => {
    expect(failureNotice('start', 'a.txt', message)).toEqual({ kind: 'inline', text: message })
  })

  test('everything else is a toast with the reason or the default', () => {
    expect(failureNotice('transfer', 'a.txt', 'Direct S3 upload failed')).toEqual({
      kind: 'toast',
      title: 'Upload Failed',
      description: 'Direct S3 upload failed',
    })
    expect(failureNotice('confirm', 'a.txt', '')).toMatchObject({
      title: 'Upload Failed',
      description: 'Failed to upload a.txt',
    })
    expect(failureNotice('start', 'a.txt', '')).toMatchObject({
      title: 'Upload Error',
      description: 'Upload failed',
    })
  })
})

test('signed out or full: the rest of the queue is not tried', () => {
  expect(stopsTheRest(refusal(401))).toBe(true)
  expect(stopsTheRest(refusal(403, 'TIER_FILE_COUNT'))).toBe(true)
  expect(stopsTheRest(refusal(413, 'TIER_FILE_SIZE'))).toBe(false)
  expect(stopsTheRest(refusal(null))).toBe(false)
})

test('confirming again is worth it where no answer or a passing one came', () => {
  for (const status of [null, 408, 429, 500, 503]) expect(mayPass(refusal(status))).toBe(true)
  for (const status of [400, 401, 403, 404, 409]) expect(mayPass(refusal(status))).toBe(false)
})

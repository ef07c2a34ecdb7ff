import { describe, expect, test } from 'vitest'
import { errorTable } from '../../shared/contract/errors.ts'
import { mayStartAgain } from './transfer/upload-calls.ts'
import {
  dropNotice,
  failureNotice,
  mayPass,
  refusalText,
  stopsTheRest,
  successNotice,
  transferText,
} from './upload-failure.ts'

const refusal = (
  status: number | null,
  code: string | null = null,
  message: string | null = null,
  body?: string,
) => ({ status, code, message, body })

describe('the words of spec §8', () => {
  test("a refused call: the server's message field, else the default", () => {
    expect(refusalText('start', 'foreground', refusal(403, null, 'No.'))).toBe('No.')
    expect(refusalText('start', 'background', refusal(500))).toBe('Failed to get upload URL')
    expect(refusalText('confirm', 'foreground', refusal(500, null, ' '))).toBe(
      'Failed to confirm upload',
    )
  })

  test.each([
    [refusal(409, null, 'It differs.'), 'Upload confirmation failed: 409 - It differs.'],
    [refusal(502, null, null, 'Bad gateway\n'), 'Upload confirmation failed: 502 - Bad gateway'],
    [refusal(null), 'Network error during upload'],
  ])('a refused confirmation in the background: %j', (refused, text) => {
    expect(refusalText('confirm', 'background', refused)).toBe(text)
  })

  test('a file that can no longer be read, and a status that is not known', () => {
    expect(transferText('background', 'unreadable', null)).toBe(
      'The file has changed or can no longer be read',
    )
    expect(transferText('foreground', 'status', null)).toBe('Direct S3 upload failed')
    expect(transferText('background', 'status', 500)).toBe('Upload failed with status 500')
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
      failed: true,
    })
    const changed = transferText('foreground', 'unreadable', null)
    expect(failureNotice('transfer', 'a.txt', changed)).toMatchObject({
      title: 'Upload Failed',
      description: 'a.txt has changed or can no longer be read',
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

  test('what was stored', () => {
    expect(successNotice('foreground', 'a.txt')).toMatchObject({
      title: 'Upload Complete',
      description: 'a.txt uploaded successfully',
    })
    expect(successNotice('background', 'a.txt')).toEqual({
      kind: 'toast',
      title: 'a.txt uploaded successfully!',
      failed: false,
    })
    expect(dropNotice(12, 0)).toMatchObject({
      title: 'Upload Complete',
      description: '12 files uploaded successfully',
    })
    expect(dropNotice(1, 0)).toMatchObject({ description: '1 file uploaded successfully' })
    expect(dropNotice(11, 1)).toMatchObject({
      title: 'Upload Failed',
      description: '11 of 12 files uploaded',
    })
  })
})

test('a full tier: the rest of the drop is not tried', () => {
  expect(stopsTheRest(refusal(403, 'TIER_FILE_COUNT'))).toBe(true)
  expect(stopsTheRest(refusal(413, 'TIER_FILE_SIZE'))).toBe(false)
  expect(stopsTheRest(refusal(null))).toBe(false)
})

test('asking again is worth it where no answer or a passing one came', () => {
  for (const status of [null, 408, 429, 500, 503]) expect(mayPass(refusal(status))).toBe(true)
  for (const status of [400, 401, 403, 404, 409]) expect(mayPass(refusal(status))).toBe(false)
  expect(mayStartAgain(refusal(503))).toBe(true)
  expect(mayStartAgain(refusal(500))).toBe(false)
})

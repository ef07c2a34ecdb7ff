import { describe, expect, test } from 'vitest'
import { uploadRecord } from '../../../tests/support/upload-fixtures.ts'
import { errorTable } from '../../shared/contract/errors.ts'
import { ApiError, NetworkError } from '../api/call.ts'
import {
  callErrorText,
  dataLostText,
  isOutOfSpaceFailure,
  isPermanentFailure,
  stopsAllUploads,
  toOutcome,
  transferCode,
  transferErrorText,
} from './upload-errors.ts'

function callError(
  status: number | null,
  code: string | null = null,
  message: string | null = null,
  body?: string,
) {
  return { status, code, message, body }
}

describe('the error texts of spec §8', () => {
  test("a failed call shows the server's message, or the default text", () => {
    expect(callErrorText('start', 'foreground', callError(403, null, 'No.'))).toBe('No.')
    expect(callErrorText('start', 'background', callError(500))).toBe('Failed to get upload URL')
    expect(callErrorText('confirm', 'foreground', callError(500, null, ' '))).toBe(
      'Failed to confirm upload',
    )
  })

  test.each([
    [callError(409, null, 'It differs.'), 'Upload confirmation failed: 409 - It differs.'],
    [callError(502, null, null, 'Bad gateway\n'), 'Upload confirmation failed: 502 - Bad gateway'],
    [callError(null), 'Network error during upload'],
  ])('a failed background confirm shows the cause: %j', (callError, text) => {
    expect(callErrorText('confirm', 'background', callError)).toBe(text)
  })

  test.each(['foreground', 'background'] as const)(
    'the text for blocked content has no status (%s)',
    (path) => {
      const { status, message } = errorTable.CONTENT_BLOCKED
      const blockedError = callError(status, 'CONTENT_BLOCKED', message)
      expect(callErrorText('confirm', path, blockedError)).toBe(message)
      expect(callErrorText('confirm', path, { ...blockedError, message: null })).toBe(message)
    },
  )

  test('an unreadable file and an unknown status have separate texts', () => {
    expect(transferErrorText('background', 'unreadable', null, true)).toBe(
      'The file has changed or can no longer be read',
    )
    expect(transferErrorText('foreground', 'status', null, true)).toBe('Direct S3 upload failed')
    expect(transferErrorText('foreground', 'status', null, false)).toBe('Upload failed')
    expect(transferErrorText('background', 'status', 500, true)).toBe(
      'Upload failed with status 500',
    )
  })

  test.each(['foreground', 'background'] as const)(
    'the text for a full server says what to do (%s)',
    (path) => {
      const { status, message } = errorTable.STORAGE_FULL
      expect(transferErrorText(path, 'status', status, false)).toBe(message)
      const diskFullError = errorTable.DISK_FULL
      expect(transferErrorText(path, 'disk-full', diskFullError.status, false)).toBe(
        diskFullError.message,
      )
    },
  )
})

test.each([
  ['status', 507, 'STORAGE_FULL', true],
  ['disk-full', 503, 'DISK_FULL', true],
  ['status', 500, null, false],
  ['network', null, null, false],
] as const)('a transfer error %s %j has the code %j', (kind, status, code, isServerFull) => {
  expect(transferCode(kind, status)).toBe(code)
  expect(isOutOfSpaceFailure({ status: 'failed', code })).toBe(isServerFull)
  expect(isOutOfSpaceFailure({ status: 'paused', code })).toBe(false)
})

test.each([
  [{ code: 'CONTENT_BLOCKED' }, true],
  [{ code: 'FILE_TOO_LARGE' }, true],
  [{ code: 'INVALID_INPUT' }, true],
  [{ code: 'TIER_FILE_COUNT' }, false],
  [{ code: 'STORAGE_FULL' }, false],
  [{ code: null }, false],
  [{}, false],
  [{ error: dataLostText }, false],
  [{ error: dataLostText, pasted: true }, true],
  [{ code: 'CONTENT_BLOCKED', status: 'completed' }, false],
] as const)('a failure with %j is permanent: %s', (changes, isPermanent) => {
  const error = 'Refused'
  expect(isPermanentFailure(uploadRecord({ status: 'failed', error, ...changes }))).toBe(
    isPermanent,
  )
})

test('a full tier stops the rest of the drop', () => {
  expect(stopsAllUploads('TIER_FILE_COUNT')).toBe(true)
  expect(stopsAllUploads('TIER_FILE_SIZE')).toBe(false)
  expect(stopsAllUploads(null)).toBe(false)
})

describe('the outcome of a call', () => {
  const toRejectedOutcome = (error: unknown) => toOutcome(Promise.reject(error))

  test('of a success has its value', async () => {
    expect(await toOutcome(Promise.resolve(7))).toEqual({ ok: true, value: 7 })
  })

  test('of an error response has its status, code, message and retry delay', async () => {
    const body = { message: 'Full.', code: 'TIER_FILE_COUNT' } as const
    expect(await toRejectedOutcome(new ApiError(403, '{"message":"Full."}', body, '7'))).toEqual({
      ok: false,
      error: { status: 403, code: 'TIER_FILE_COUNT', message: 'Full.', retryAfterMs: 7000 },
    })
  })

  test('of an error without a message has its body text', async () => {
    expect(await toRejectedOutcome(new ApiError(502, 'Bad gateway', {}, 'soon'))).toEqual({
      ok: false,
      error: { status: 502, code: null, message: null, retryAfterMs: null, body: 'Bad gateway' },
    })
  })

  test.each([new NetworkError('away'), new DOMException('', 'TimeoutError'), 'unexpected'])(
    'without a response has no status: %s',
    async (error) => {
      const callError = { status: null, code: null, message: null }
      expect(await toRejectedOutcome(error)).toEqual({ ok: false, error: callError })
    },
  )
})

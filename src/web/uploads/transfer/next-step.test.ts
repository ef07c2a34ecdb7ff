import { describe, expect, test } from 'vitest'
import { failureOf, retryWaitMs, stallLimitMs, verdictOn, waitBeforeNext } from './next-step.ts'
import { errorCode, type StorageAnswer } from './send.ts'

const answer = (status: number, code: string | null = null, retryAfterMs: number | null = null) =>
  ({ kind: 'answer', status, code, uploadOffset: null, retryAfterMs }) satisfies StorageAnswer

describe('what an answer to a PUT means', () => {
  test.each([
    ['stored', 200, null],
    ['stored', 204, null],
    ['stored', 409, 'UPLOAD_SEALED'],
    ['again', 408, null],
    ['again', 425, null],
    ['again', 429, null],
    ['again', 500, null],
    ['again', 503, 'SlowDown'],
    ['again', 400, 'RequestTimeout'],
    ['again', 400, 'UPLOAD_INCOMPLETE'],
    ['again', 409, 'UPLOAD_SUPERSEDED'],
    ['differs', 409, 'CHECKSUM_MISMATCH'],
    ['differs', 400, 'BadDigest'],
    ['unsigned', 403, 'SIGNATURE_EXPIRED'],
    ['gone', 404, 'NoSuchUpload'],
    ['gone', 410, null],
    ['final', 201, null],
    ['final', 301, null],
    ['final', 400, null],
    ['final', 401, null],
    ['final', 409, 'SIZE_MISMATCH'],
    ['final', 413, null],
  ])('%s: %i %s', (verdict, status, code) => {
    expect(verdictOn(answer(status, code))).toBe(verdict)
  })

  test.each(['network', 'timeout', 'stalled'] as const)('again: %s', (kind) => {
    expect(verdictOn({ kind })).toBe('again')
  })
})

test.each([
  [{ kind: 'network' } as const, { kind: 'network', status: null }],
  [{ kind: 'stalled' } as const, { kind: 'network', status: null }],
  [{ kind: 'timeout' } as const, { kind: 'timeout', status: null }],
  [answer(500), { kind: 'status', status: 500 }],
  [answer(404), { kind: 'gone', status: 404 }],
])('the last answer %o names the failure', (last, failure) => {
  expect(failureOf(last)).toMatchObject(failure)
})

test('the waits grow from 3 s to 30 s', () => {
  expect([0, 1, 2, 3, 4, 5, 100].map(retryWaitMs)).toEqual([
    3000, 3000, 6000, 12_000, 24_000, 30_000, 30_000,
  ])
})

test.each([
  { answer: answer(500), random: 0, expected: 3000 },
  { answer: answer(500), random: 0.5, expected: 3450 },
  { answer: answer(503, null, 20_000), random: 0, expected: 20_000 },
  { answer: answer(503, null, 1000), random: 0, expected: 3000 },
  { answer: answer(503, null, 86_400_000), random: 0, expected: 60_000 },
  { answer: { kind: 'network' } as const, random: 1, expected: 3900 },
])('before the second try it waits $expected ms', ({ answer: last, random, expected }) => {
  expect(waitBeforeNext(last, 1, random)).toBe(expected)
})

test('what stalls gets twice the time each time, up to the time-out', () => {
  expect([0, 1, 2, 3, 4, 5, 50].map((stalls) => stallLimitMs(stalls) / 1000)).toEqual([
    30, 60, 120, 240, 480, 600, 600,
  ])
})

test.each([
  ['{"message":"…","code":"CHECKSUM_MISMATCH"}', 'CHECKSUM_MISMATCH'],
  ['<?xml version="1.0"?><Error><Code>BadDigest</Code><Message>x</Message></Error>', 'BadDigest'],
  ['<html>Bad gateway</html>', null],
  ['', null],
])('the code in %s is %s', (body, code) => {
  expect(errorCode(body)).toBe(code)
})

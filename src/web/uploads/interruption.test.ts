import { expect, test } from 'vitest'
import { toInterruption } from './interruption.ts'

test.each([
  [500, null, null, 'not-ready'],
  [503, null, null, 'not-ready'],
  [503, 'UNAVAILABLE', 5000, 'not-ready'],
  [503, 'TOO_MANY_TRANSFERS', 10_000, 'busy'],
  [503, null, 10_000, 'busy'],
  [429, 'TOO_MANY_REQUESTS', 10_000, 'busy'],
  [503, 'DISK_FULL', 60_000, 'disk-full'],
  [409, null, null, 'no-response'],
])('a response of %i %s (Retry-After %j) counts as %s', (status, code, retryAfterMs, expected) => {
  expect(toInterruption({ status, code, retryAfterMs })).toBe(expected)
})

test('an attempt without a response counts as no-response', () => {
  expect(toInterruption({})).toBe('no-response')
})

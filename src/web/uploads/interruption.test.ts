import { expect, test } from 'vitest'
import { interruptionOf } from './interruption.ts'

test.each([
  [500, 'not-ready'],
  [503, 'not-ready'],
  [429, 'no-answer'],
  [409, 'no-answer'],
])('an answer of %i is told as %s', (status, told) => {
  const rest = { code: null, uploadOffset: null, retryAfterMs: null }
  expect(interruptionOf({ kind: 'answer', status, ...rest })).toBe(told)
})

test.each(['network', 'timeout', 'stalled'] as const)('%s is no answer', (kind) => {
  expect(interruptionOf({ kind })).toBe('no-answer')
})

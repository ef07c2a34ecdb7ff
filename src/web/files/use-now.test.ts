import { expect, test } from 'vitest'
import { listedLink } from '../../../tests/support/upload-fixtures.ts'
import { nextChangeAt, tickMs } from './use-now.ts'

const hour = 3_600_000
const now = Date.parse('2025-07-12T10:00:00Z')

/**
 * Creates a link that expires and reaches its maximum lifetime the given number of milliseconds
 * from now.
 */
function makeLink(expiresInMs: number, maxLifetimeInMs = 1e9) {
  return listedLink({
    expiresAt: new Date(now + expiresInMs).toISOString(),
    maxLifetimeAt: new Date(now + maxLifetimeInMs).toISOString(),
  })
}

test('the next change is at the next tick if no label changes sooner', () => {
  expect(nextChangeAt([], 'free', now)).toBe(now + tickMs)
  expect(nextChangeAt([makeLink(hour / 2)], 'free', now)).toBe(now + tickMs)
})

test('the next change is the earliest of all labels', () => {
  expect(nextChangeAt([makeLink(20_000), makeLink(7000), makeLink(9000)], 'free', now)).toBe(
    now + 7000,
  )
  expect(nextChangeAt([makeLink(20_000), makeLink(5 * hour + 6000)], 'free', now)).toBe(now + 6001)
  expect(nextChangeAt([makeLink(20_000), makeLink(-5, 1234)], 'premium', now)).toBe(now + 1234)
})

test('the label of a deleted link never changes', () => {
  expect(nextChangeAt([makeLink(-1, -1), makeLink(0, 0)], 'premium', now)).toBe(now + tickMs)
})

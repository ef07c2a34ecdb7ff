import { expect, test } from 'vitest'
import { nextChange, tickMs } from './next-change.ts'

const now = Date.parse('2025-07-12T10:00:00Z')
function file(expiresIn: number, maxLifetimeIn = 1e9) {
  return {
    expiresAt: new Date(now + expiresIn).toISOString(),
    maxLifetimeAt: new Date(now + maxLifetimeIn).toISOString(),
  }
}

test('without anything that ends soon it is a tick', () => {
  expect(nextChange([], now)).toBe(now + tickMs)
  expect(nextChange([file(3_600_000)], now)).toBe(now + tickMs)
})

test('it is the next end of a link, of either kind', () => {
  expect(nextChange([file(20_000), file(7000), file(9000)], now)).toBe(now + 7000)
  expect(nextChange([file(20_000), file(-5, 1234)], now)).toBe(now + 1234)
})

test('what is over, or ends at this very moment, is no next end', () => {
  expect(nextChange([file(-1, -1), file(0)], now)).toBe(now + tickMs)
})

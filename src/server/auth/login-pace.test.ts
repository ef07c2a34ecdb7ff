import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holdBeforeTry, waitBetweenTries } from './login-pace.ts'

describe('the pace of tries at one account', () => {
  it.each([
    [0, 0, 0],
    [59, 0, 0], // one address alone reaches 50
    [60, 10_000, 250],
    [70, 20_000, 500],
    [80, 40_000, 1000],
    [90, 80_000, 2000],
    [100, 160_000, 4000],
    [110, 320_000, 5000],
    [120, 640_000, 5000],
    [130, 900_000, 5000],
    [1_000_000, 900_000, 5000],
  ])('after %d wrong logins is one in %d ms, each held for %d ms', (wrong, wait, hold) => {
    expect(waitBetweenTries(wrong)).toBe(wait)
    expect(holdBeforeTry(wrong)).toBe(hold)
  })

  it('never becomes faster with more of them, and never waits longer than 15 minutes', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => {
        const [fewer, more] = [Math.min(a, b), Math.max(a, b)]
        expect(waitBetweenTries(more)).toBeGreaterThanOrEqual(waitBetweenTries(fewer))
        expect(holdBeforeTry(more)).toBeGreaterThanOrEqual(holdBeforeTry(fewer))
        expect(waitBetweenTries(more)).toBeLessThanOrEqual(900_000)
      }),
    )
  })
})

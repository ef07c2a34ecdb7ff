import { describe, expect, it } from 'vitest'
import { readTier, tiers } from './tier.ts'

describe('readTier', () => {
  it.each(tiers)('knows %s', (tier) => {
    expect(readTier(tier)).toBe(tier)
  })

  it.each(['', 'Free', 'business', '__proto__'])('takes %j for no other tier', (stored) => {
    expect(() => readTier(stored)).toThrow(RangeError)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyLimits } from '../../../../tests/support/any-limits.ts'
import { maxPartCount, partSizeFor, planParts } from '../files/part-plan.ts'
import {
  checkLimit,
  formatLimitSettings,
  limitBounds,
  limitKey,
  limitKeys,
  limitNames,
  limitsError,
  parseLimitKey,
  parseLimitSettings,
} from './limit-settings.ts'
import { tiers } from './tier.ts'
import { defaultLimits, type Limits } from './tier-limits.ts'

const { free, premium } = defaultLimits

describe('limit settings', () => {
  it('exist for each tier and limit', () => {
    expect(limitKeys).toEqual([
      'free_max_files',
      'free_max_file_size',
      'free_expiration_days',
      'free_max_lifetime_days',
      'premium_max_files',
      'premium_max_file_size',
      'premium_expiration_days',
      'premium_max_lifetime_days',
    ])
    for (const key of limitKeys) {
      const { tier, name } = parseLimitKey(key)
      expect(limitKey(tier, name)).toBe(key)
    }
  })

  it('default to the numbers of spec §9', () => {
    expect(formatLimitSettings(defaultLimits)).toEqual({
      free_max_files: '3',
      free_max_file_size: '524288000',
      free_expiration_days: '3',
      free_max_lifetime_days: '30',
      premium_max_files: 'unlimited',
      premium_max_file_size: '1073741824',
      premium_expiration_days: '3,5,7',
      premium_max_lifetime_days: '30',
    })
  })

  it('survive formatting and parsing, for any limits', () => {
    fc.assert(
      fc.property(anyLimits, (limits) => {
        expect(parseLimitSettings(formatLimitSettings(limits))).toEqual(limits)
      }),
    )
  })

  it('fall back to the default if they are invalid', () => {
    const settings = {
      ...formatLimitSettings(defaultLimits),
      free_max_files: '4',
      free_max_file_size: 'vast',
    }
    expect(parseLimitSettings({ ...settings, premium_expiration_days: '' })).toEqual({
      ...defaultLimits,
      free: { ...free, maxFiles: 4 },
    })
  })
})

describe('the maximum file size', () => {
  it('is 10,000 parts of the default size', () => {
    const { max } = limitBounds.fileSize
    const partSize = partSizeFor(max)
    expect(planParts(max, partSize)).toEqual({ size: partSizeFor(1), count: maxPartCount })
    expect(partSizeFor(max + 1)).toBeGreaterThan(partSize)
  })
})

describe('limitsError', () => {
  it.each<[string, Limits, string | null]>([
    ['the defaults', defaultLimits, null],
    ['the same limits for both tiers', { free: premium, premium }, null],
    [
      'an expiration longer than the maximum lifetime',
      { free, premium: { ...premium, maxLifetimeDays: 6 } },
      'Premium would offer 7 days, but keep files for 6 days at most.',
    ],
    [
      'an expiration longer than a one-day maximum lifetime',
      { free: { ...free, maxLifetimeDays: 1 }, premium },
      'Free would offer 3 days, but keep files for 1 day at most.',
    ],
    [
      'more files on Free',
      { free: { ...free, maxFiles: null }, premium: { ...premium, maxFiles: 9 } },
      'Free would allow more than Premium: files. Change the other tier first.',
    ],
    [
      'larger files on Free',
      { free: { ...free, maxFileSize: premium.maxFileSize + 1 }, premium },
      'Free would allow more than Premium: larger files. Change the other tier first.',
    ],
    [
      'longer links on Free',
      { free: { ...free, expirationDays: [1, 8] }, premium },
      'Free would allow more than Premium: longer links. Change the other tier first.',
    ],
    [
      'equally long links and more choices on Free',
      { free: { ...free, expirationDays: [1, 2, 3, 5, 7] }, premium },
      null,
    ],
    [
      'a longer lifetime on Free',
      { free: { ...free, maxLifetimeDays: 31 }, premium },
      'Free would allow more than Premium: a longer lifetime. Change the other tier first.',
    ],
  ])('%s', (_, limits, error) => {
    expect(limitsError(limits)).toBe(error)
  })
})

describe('checkLimit', () => {
  const changes = fc.record({
    limits: anyLimits,
    other: anyLimits,
    tier: fc.constantFrom(...tiers),
    name: fc.constantFrom(...limitNames),
  })

  it('accepts a change exactly if the resulting limits are consistent', () => {
    fc.assert(
      fc.property(changes, ({ limits, other, tier, name }) => {
        const key = limitKey(tier, name)
        const text = formatLimitSettings(other)[key]
        const verdict = checkLimit({ tier, name }, text, limits)
        const newLimits = parseLimitSettings({ ...formatLimitSettings(limits), [key]: text })
        expect(verdict.ok).toBe(limitsError(newLimits) === null)
        if (verdict.ok) expect(verdict.value).toBe(text)
      }),
    )
  })
})

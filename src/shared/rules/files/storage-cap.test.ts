import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../tiers/tier-limits.ts'
import {
  checkCap,
  defaultCap,
  fileSizeWarning,
  formatCapSettings,
  fullness,
  parseCapSettings,
} from './storage-cap.ts'

const gigabyte = 1024 ** 3

describe('fileSizeWarning', () => {
  it.each([
    [null, null],
    [gigabyte, null],
    [gigabyte - 1, /^A file may have 1GB in Premium, but files above the storage limit of /],
    [
      1024 ** 2,
      /^A file may have 500MB in Free and 1GB in Premium, but .* storage limit of 1MB are/,
    ],
  ])('for a cap of %s bytes is %s', (maxStored, expected) => {
    const text = fileSizeWarning(maxStored, defaultLimits)
    if (expected === null) expect(text).toBeNull()
    else expect(text).toMatch(expected)
  })
})

describe('the cap settings', () => {
  it('set no cap by default', () => {
    expect(defaultCap).toEqual({ maxStored: null, leastFree: 0 })
    expect(formatCapSettings(defaultCap)).toEqual({ storage_cap: 'unlimited', free_space: '0' })
  })

  it('survive formatting and parsing', () => {
    const anyCap = fc.record({
      maxStored: fc.option(fc.integer({ min: 1024 ** 2, max: 1_000_000 * gigabyte })),
      leastFree: fc.integer({ min: 0, max: 1_000_000 * gigabyte }),
    })
    fc.assert(
      fc.property(anyCap, (cap) => {
        const { storage_cap, free_space } = formatCapSettings(cap)
        expect(parseCapSettings({ storage_cap, free_space })).toEqual(cap)
        expect(checkCap('storage_cap', storage_cap)).toEqual({ ok: true, value: storage_cap })
        expect(checkCap('free_space', free_space)).toEqual({ ok: true, value: free_space })
      }),
    )
  })

  it('fall back to the default if they are invalid', () => {
    expect(parseCapSettings({ storage_cap: 'vast', free_space: '-1' })).toEqual(defaultCap)
  })
})

describe('fullness', () => {
  it.each([
    [79, 'ok'],
    [80, 'warning'],
    [99, 'warning'],
    [100, 'full'],
    [101, 'full'],
  ])('with %i of 100 stored is %s', (stored, expected) => {
    expect(fullness(stored, { maxStored: 100 })).toBe(expected)
  })

  it('is never full without a cap', () => {
    expect(fullness(Number.MAX_SAFE_INTEGER, { maxStored: null })).toBe('ok')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorTable } from '../contract/errors.ts'
import { expirationDays } from './lifetime.ts'
import { type Tier, tiers } from './tier.ts'
import {
  checkUpload,
  hasRoom,
  largestFileSize,
  tierLimits,
  type UploadWish,
  upgradeOf,
} from './tier-limits.ts'

const freeSize = 524_288_000
const premiumSize = 1_073_741_824
function wish(changes: Partial<UploadWish>): UploadWish {
  return {
    tier: 'free',
    fileSize: 1,
    expirationDays: 3,
    filesInUse: 0,
    ...changes,
  }
}

describe('tierLimits', () => {
  it('free: 3 files, 500MB each, 3 days; premium: unlimited, 1GB, 3, 5 or 7 days', () => {
    expect(tierLimits).toMatchObject({
      free: { maxFiles: 3, maxFileSize: freeSize, expirationDays: [3] },
      premium: { maxFiles: null, maxFileSize: premiumSize, expirationDays: [3, 5, 7] },
    })
  })

  it('only premium renews links, and has File Manager, Analytics, branding and a badge', () => {
    const only = (may: boolean) => ({
      renewal: may,
      fileManager: may,
      analytics: may,
      branding: may,
      hasBadge: may,
    })
    expect(tierLimits).toMatchObject({ free: only(false), premium: only(true) })
  })

  it.each(tiers)(
    'an upgrade of %s leads to the highest tier in the end, and takes nothing',
    (tier) => {
      const steps: Tier[] = []
      for (let at: Tier | null = tier; at !== null; at = tierLimits[at].upgradesTo) {
        expect(steps).not.toContain(at)
        steps.push(at)
      }
      const above = upgradeOf(tier)
      if (!above) return expect(tierLimits[tier].maxFileSize).toBe(largestFileSize)
      const { maxFiles, maxFileSize, expirationDays } = tierLimits[tier]
      expect(above.maxFiles ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(maxFiles ?? 0)
      expect(above.maxFileSize).toBeGreaterThan(maxFileSize)
      expect(above.expirationDays).toEqual(expect.arrayContaining([...expirationDays]))
    },
  )
})

describe('checkUpload', () => {
  it.each<[string, Partial<UploadWish>, string]>([
    ['an empty file', { fileSize: 0 }, 'ok'],
    ['free, exactly 500MB', { fileSize: freeSize }, 'ok'],
    ['free, a byte over 500MB', { fileSize: freeSize + 1 }, 'TIER_FILE_SIZE'],
    ['free, exactly 1GB', { fileSize: premiumSize }, 'TIER_FILE_SIZE'],
    ['free, a byte over 1GB: no upgrade helps', { fileSize: premiumSize + 1 }, 'FILE_TOO_LARGE'],
    ['premium, exactly 1GB', { tier: 'premium', fileSize: premiumSize }, 'ok'],
    ['premium, a byte over 1GB', { tier: 'premium', fileSize: premiumSize + 1 }, 'FILE_TOO_LARGE'],
    ['free, 5 days', { expirationDays: 5 }, 'TIER_EXPIRATION'],
    ['free, 7 days', { expirationDays: 7 }, 'TIER_EXPIRATION'],
    ['premium, 5 days', { tier: 'premium', expirationDays: 5 }, 'ok'],
    ['premium, 7 days', { tier: 'premium', expirationDays: 7 }, 'ok'],
    ['free, the third file', { filesInUse: 2 }, 'ok'],
    ['free, a fourth file', { filesInUse: 3 }, 'TIER_FILE_COUNT'],
    ['free, over the limit since premium ended', { filesInUse: 40 }, 'TIER_FILE_COUNT'],
    ['premium, the ten thousandth file', { tier: 'premium', filesInUse: 9999 }, 'ok'],
    [
      'several faults: the one that concerns this file first',
      { fileSize: freeSize + 1, expirationDays: 7, filesInUse: 3 },
      'TIER_FILE_SIZE',
    ],
  ])('%s', (_, changes, expected) => {
    const verdict = checkUpload(wish(changes))
    expect(verdict.ok ? 'ok' : verdict.code).toBe(expected)
  })

  const wishes = fc.record({
    tier: fc.constantFrom(...tiers),
    fileSize: fc.oneof(
      fc.nat(2 ** 31 - 1),
      fc.constantFrom(freeSize, premiumSize, premiumSize + 1),
    ),
    expirationDays: fc.constantFrom(...expirationDays),
    filesInUse: fc.nat(6),
  })

  it('lets through exactly what keeps all three limits, and else names an error of the contract', () => {
    fc.assert(
      fc.property(wishes, (any) => {
        const limits = tierLimits[any.tier]
        const keeps =
          any.fileSize <= limits.maxFileSize &&
          limits.expirationDays.includes(any.expirationDays) &&
          any.filesInUse < (limits.maxFiles ?? Number.POSITIVE_INFINITY)
        const verdict = checkUpload(any)
        expect(verdict.ok).toBe(keeps)
        if (!verdict.ok) expect(errorTable).toHaveProperty(verdict.code)
      }),
    )
  })

  it('never refuses after an upgrade what it gave before', () => {
    fc.assert(
      fc.property(wishes, (any) => {
        const { upgradesTo } = tierLimits[any.tier]
        if (upgradesTo === null || !checkUpload(any).ok) return
        expect(checkUpload({ ...any, tier: upgradesTo })).toEqual({ ok: true })
      }),
    )
  })
})

describe('hasRoom', () => {
  it('free holds 3 files at most, premium any number', () => {
    expect([0, 1, 2, 3, 4].map((count) => hasRoom('free', count))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
    expect(hasRoom('premium', 1_000_000)).toBe(true)
  })
})

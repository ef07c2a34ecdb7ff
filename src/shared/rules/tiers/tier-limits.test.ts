import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { anyLimits } from '../../../../tests/support/any-limits.ts'
import { errorTable } from '../../contract/errors.ts'
import { tiers, tierTraits } from './tier.ts'
import {
  canAddFile,
  checkDays,
  checkUpload,
  daysText,
  defaultLimits,
  filesLeftText,
  filesText,
  type Limits,
  largestFileSize,
  limitsText,
  offeredDays,
  type PlannedUpload,
  selectedDays,
  tierForLargerFiles,
} from './tier-limits.ts'

const freeSizeLimit = 524_288_000
const premiumSizeLimit = 1_073_741_824
function makeUpload(changes: Partial<PlannedUpload>): PlannedUpload {
  return {
    tier: 'free',
    fileSize: 1,
    expirationDays: 3,
    filesInUse: 0,
    ...changes,
  }
}

/** Limits that all differ from the defaults. */
const customLimits: Limits = {
  free: { maxFiles: 1, maxFileSize: 10, expirationDays: [1, 2], maxLifetimeDays: 2 },
  premium: { maxFiles: 5, maxFileSize: 20, expirationDays: [2, 9], maxLifetimeDays: 90 },
}

describe('defaultLimits', () => {
  it('are 3 files, 500MB, 3 days for free, and unlimited files, 1GB, 3, 5 or 7 days for premium', () => {
    expect(defaultLimits).toEqual({
      free: { maxFiles: 3, maxFileSize: freeSizeLimit, expirationDays: [3], maxLifetimeDays: 30 },
      premium: {
        maxFiles: null,
        maxFileSize: premiumSizeLimit,
        expirationDays: [3, 5, 7],
        maxLifetimeDays: 30,
      },
    })
  })
})

describe('checkUpload', () => {
  it.each<[string, Partial<PlannedUpload>, string]>([
    ['an empty file', { fileSize: 0 }, 'ok'],
    ['free, exactly 500MB', { fileSize: freeSizeLimit }, 'ok'],
    ['free, a byte over 500MB', { fileSize: freeSizeLimit + 1 }, 'TIER_FILE_SIZE'],
    ['free, exactly 1GB', { fileSize: premiumSizeLimit }, 'TIER_FILE_SIZE'],
    [
      'free, a byte over 1GB: no upgrade helps',
      { fileSize: premiumSizeLimit + 1 },
      'FILE_TOO_LARGE',
    ],
    ['premium, exactly 1GB', { tier: 'premium', fileSize: premiumSizeLimit }, 'ok'],
    [
      'premium, a byte over 1GB',
      { tier: 'premium', fileSize: premiumSizeLimit + 1 },
      'FILE_TOO_LARGE',
    ],
    ['free, 5 days', { expirationDays: 5 }, 'TIER_EXPIRATION'],
    ['free, 7 days', { expirationDays: 7 }, 'TIER_EXPIRATION'],
    ['free, days no tier offers', { expirationDays: 4 }, 'INVALID_INPUT'],
    ['premium, 5 days', { tier: 'premium', expirationDays: 5 }, 'ok'],
    ['premium, 7 days', { tier: 'premium', expirationDays: 7 }, 'ok'],
    ['free, the third file', { filesInUse: 2 }, 'ok'],
    ['free, the fourth file', { filesInUse: 3 }, 'TIER_FILE_COUNT'],
    ['free, over the limit after premium ended', { filesInUse: 40 }, 'TIER_FILE_COUNT'],
    ['premium, the ten thousandth file', { tier: 'premium', filesInUse: 9999 }, 'ok'],
    [
      "several violations: the file's own comes first",
      { fileSize: freeSizeLimit + 1, expirationDays: 7, filesInUse: 3 },
      'TIER_FILE_SIZE',
    ],
  ])('%s', (_, changes, expected) => {
    expect(checkUpload(makeUpload(changes), defaultLimits) ?? 'ok').toBe(expected)
  })

  it.each<[string, Partial<PlannedUpload>, string]>([
    ['free, the first file', { expirationDays: 1 }, 'ok'],
    ['free, the second file', { expirationDays: 1, filesInUse: 1 }, 'TIER_FILE_COUNT'],
    ['free, a byte over 10', { expirationDays: 1, fileSize: 11 }, 'TIER_FILE_SIZE'],
    ['free, premium-only days', { expirationDays: 9 }, 'TIER_EXPIRATION'],
    ['premium, free-only days', { tier: 'premium', expirationDays: 1 }, 'TIER_EXPIRATION'],
    ['premium, the default days', { tier: 'premium', expirationDays: 3 }, 'INVALID_INPUT'],
    [
      'premium, the sixth file',
      { tier: 'premium', expirationDays: 2, filesInUse: 5 },
      'TIER_FILE_COUNT',
    ],
  ])('with other limits: %s', (_, changes, expected) => {
    expect(checkUpload(makeUpload(changes), customLimits) ?? 'ok').toBe(expected)
  })

  const anyUpload = anyLimits.chain((limits) => {
    const sizes = tiers.map((tier) => limits[tier].maxFileSize)
    const days = offeredDays(limits)
    return fc.record({
      limits: fc.constant(limits),
      tier: fc.constantFrom(...tiers),
      fileSize: fc.oneof(
        fc.nat(2 ** 31 - 1),
        fc.constantFrom(...sizes, ...sizes.map((s) => s + 1)),
      ),
      expirationDays: fc.oneof(fc.nat(400), fc.constantFrom(...days)),
      filesInUse: fc.oneof(
        fc.nat(6),
        fc.constantFrom(...tiers.map((tier) => limits[tier].maxFiles ?? 7)),
      ),
    })
  })

  it('allows an upload exactly if it is within all limits, and otherwise returns an error code of the API', () => {
    fc.assert(
      fc.property(anyUpload, ({ limits, ...upload }) => {
        const tierLimits = limits[upload.tier]
        const isWithinLimits =
          upload.fileSize <= tierLimits.maxFileSize &&
          tierLimits.expirationDays.includes(upload.expirationDays) &&
          upload.filesInUse < (tierLimits.maxFiles ?? Number.POSITIVE_INFINITY)
        const code = checkUpload(upload, limits)
        expect(code === null).toBe(isWithinLimits)
        if (code) expect(errorTable).toHaveProperty(code)
      }),
    )
  })

  it('still allows an upload after an upgrade if the new tier offers the days', () => {
    fc.assert(
      fc.property(anyUpload, ({ limits, ...upload }) => {
        const { upgradesTo } = tierTraits[upload.tier]
        if (upgradesTo === null || checkUpload(upload, limits) !== null) return
        if (checkDays(upload.expirationDays, upgradesTo, limits) !== null) return
        expect(checkUpload({ ...upload, tier: upgradesTo }, limits)).toBeNull()
      }),
    )
  })
})

describe('selectedDays', () => {
  it.each([
    ['the requested days', [3, 5, 7], 7, 7],
    ['the default if the requested days are not offered', [2, 3, 9], 7, 3],
    ['the default if none are requested', [2, 3, 9], undefined, 3],
    ['the fewest days if the default is not offered', [5, 9], undefined, 5],
    ['the fewest days if neither is offered', [5, 9], 7, 5],
  ])('%s', (_, expirationDays, requestedDays, expected) => {
    expect(selectedDays({ expirationDays }, requestedDays)).toBe(expected)
  })

  it('returns an option of the tier', () => {
    fc.assert(
      fc.property(
        anyLimits,
        fc.constantFrom(...tiers),
        fc.nat(400),
        (limits, tier, requestedDays) => {
          expect(limits[tier].expirationDays).toContain(selectedDays(limits[tier], requestedDays))
        },
      ),
    )
  })
})

describe('across all tiers', () => {
  it('largestFileSize is the maximum, and offeredDays the union', () => {
    expect(largestFileSize(defaultLimits)).toBe(premiumSizeLimit)
    expect(offeredDays(customLimits)).toEqual([1, 2, 9])
  })

  it('tierForLargerFiles is the next tier only if its limit is higher', () => {
    expect(tierForLargerFiles('free', defaultLimits)).toBe('premium')
    expect(tierForLargerFiles('premium', defaultLimits)).toBeNull()
    const equalSizes = { ...customLimits, free: { ...customLimits.free, maxFileSize: 20 } }
    expect(tierForLargerFiles('free', equalSizes)).toBeNull()
  })
})

describe('canAddFile', () => {
  it('is true below the limit or if there is none', () => {
    const canAddResults = [0, 1, 2, 3, 4].map((count) => canAddFile(3, count))
    expect(canAddResults).toEqual([true, true, true, false, false])
    expect(canAddFile(null, 1_000_000)).toBe(true)
  })
})

test.each([
  [null, 'unlimited files'],
  [1, '1 file'],
  [3, '3 files'],
  [10_000, '10,000 files'],
])('filesText(%j) is %s', (maxFiles, text) => {
  expect(filesText(maxFiles)).toBe(text)
})

test.each([
  [[1], '1 day'],
  [[3], '3 days'],
  [[1, 2], '1 or 2 days'],
  [[3, 5, 7], '3, 5 or 7 days'],
])('daysText of %j is %s', (days, text) => {
  expect(daysText(...days)).toBe(text)
})

test.each([
  [3, 0, '3 of 3 left'],
  [3, 2, '1 of 3 left'],
  [10_000, 0, '10,000 of 10,000 left'],
  [3, 3, 'None left: delete files to make room'],
  [3, 40, 'None left: delete files to make room'],
])('filesLeftText with a limit of %j files and %j in use is %s', (maxFiles, active, text) => {
  expect(filesLeftText(maxFiles, active)).toBe(text)
})

test('limitsText summarizes a tier in one line', () => {
  expect(limitsText(defaultLimits.free)).toBe('3 files at most, 500MB each, for 3 days')
  expect(limitsText(defaultLimits.premium)).toBe('unlimited files, 1GB each, for 3, 5 or 7 days')
})

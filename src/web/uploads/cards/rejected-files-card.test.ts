import { expect, test } from 'vitest'
import { errorTable } from '../../../shared/contract/errors.ts'
import { limitErrorText } from '../../../shared/contract/tier-errors.ts'
import { findUpgrade, tiers } from '../../../shared/rules/tiers/tier.ts'
import { defaultLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { upgradeReason } from './rejected-files-card.tsx'

test.each(tiers)('the upgrade card is shown to %s users only if they can upgrade', (tier) => {
  const isShown = findUpgrade(tier) !== null
  const getReason = (hasSkippedFiles: boolean, inlineError: string | null) =>
    upgradeReason(tier, defaultLimits, hasSkippedFiles, inlineError)
  expect(getReason(false, null)).toBeNull()
  expect(getReason(true, null) !== null).toBe(isShown)
  expect(getReason(false, 'Some error of a tier') !== null).toBe(isShown)
})

test('the badge names the limit that was reached', () => {
  const getReason = (hasSkippedFiles: boolean, inlineError: string | null) =>
    upgradeReason('free', defaultLimits, hasSkippedFiles, inlineError)
  expect(getReason(true, null)).toBe('Free takes files up to 500MB')
  const getReasonForError = (code: keyof typeof errorTable) =>
    getReason(false, errorTable[code].message)
  expect(getReasonForError('TIER_FILE_COUNT')).toBe('Free holds 3 files')
  expect(getReasonForError('TIER_FILE_SIZE')).toBe('Free takes files up to 500MB')
  expect(getReasonForError('TIER_EXPIRATION')).toBe('Free keeps files for 3 days')
  expect(getReason(true, 'Please Upgrade')).toBe('Not in the free tier')
})

test('the badge uses the current limits, and is hidden if the next tier has no larger file size', () => {
  const freeLimits = {
    ...defaultLimits.free,
    maxFiles: 1,
    maxFileSize: defaultLimits.premium.maxFileSize,
  }
  const limits = { ...defaultLimits, free: freeLimits }
  const inlineError = limitErrorText('free', 'TIER_FILE_COUNT', limits)
  expect(upgradeReason('free', limits, false, inlineError)).toBe('Free holds 1 file')
  expect(upgradeReason('free', limits, true, null)).toBeNull()
})

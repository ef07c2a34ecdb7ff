import { expect, test } from 'vitest'
import { errorTable } from '../../../shared/contract/errors.ts'
import { upgradeReason } from './upgrade-reason.ts'

test('the card opens for a free user alone', () => {
  expect(upgradeReason('free', false, null)).toBeNull()
  expect(upgradeReason('premium', true, null)).toBeNull()
  expect(upgradeReason('premium', false, 'Some error of a tier')).toBeNull()
})

test('its badge says which limit was met', () => {
  expect(upgradeReason('free', true, null)).toBe('Free takes files up to 500 MB')
  const refused = (code: keyof typeof errorTable) =>
    upgradeReason('free', false, errorTable[code].message)
  expect(refused('TIER_FILE_COUNT')).toBe('Free holds 3 files')
  expect(refused('TIER_FILE_SIZE')).toBe('Free takes files up to 500 MB')
  expect(refused('TIER_EXPIRATION')).toBe('Free keeps files for 3 days')
  expect(upgradeReason('free', true, 'Please Upgrade')).toBe('Not in the free tier')
})

import { expect, test } from 'vitest'
import { errorTable } from '../../../shared/contract/errors.ts'
import { tiers } from '../../../shared/rules/tier.ts'
import { upgradeOf } from '../../../shared/rules/tier-limits.ts'
import { upgradeReason } from './upgrade-reason.ts'

test.each(tiers)('the card opens for a user of %s only where there is an upgrade', (tier) => {
  const opens = upgradeOf(tier) !== null
  expect(upgradeReason(tier, false, null)).toBeNull()
  expect(upgradeReason(tier, true, null) !== null).toBe(opens)
  expect(upgradeReason(tier, false, 'Some error of a tier') !== null).toBe(opens)
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

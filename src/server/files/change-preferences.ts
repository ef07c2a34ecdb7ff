import { tierErrorText } from '../../shared/contract/tier-errors.ts'
import type { Preferences } from '../../shared/rules/accounts/preferences.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { checkDays } from '../../shared/rules/tiers/tier-limits.ts'
import type { Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import type { Owner } from '../http/session.ts'
import { writePreferences } from './preference-queries.ts'

/**
 * Updates some of a user's preferences. Returns all of them.
 * @throws {AppError} TIER_FILE_MANAGER if the user's tier has no File Manager, unless only
 * `mailOnDelivery` changes, because every tier has requests; TIER_EXPIRATION if
 * the tier doesn't offer this expiration, INVALID_INPUT if no tier does.
 */
export async function changePreferences(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  { id, tier }: Owner,
  changes: Partial<Preferences>,
): Promise<Preferences> {
  const { mailOnDelivery: _, ...managerChanges } = changes
  const isOnDeliveryOnly = 'mailOnDelivery' in changes && Object.keys(managerChanges).length === 0
  if (!tierTraits[tier].fileManager && !isOnDeliveryOnly) {
    throw new AppError('TIER_FILE_MANAGER', { message: tierErrorText(tier, 'TIER_FILE_MANAGER') })
  }
  const { defaultExpirationDays: days } = changes
  if (days !== undefined) {
    const limits = await settings.limits()
    const errorCode = checkDays(days, tier, limits)
    if (errorCode !== null) throw limitError(errorCode, tier, limits)
  }
  return writePreferences(db, id, changes)
}

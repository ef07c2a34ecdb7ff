import { tierErrorText } from '../../shared/contract/tier-errors.ts'
import type { Preferences } from '../../shared/rules/preferences.ts'
import { tierLimits } from '../../shared/rules/tier-limits.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { SessionUser } from '../http/session.ts'
import { writePreferences } from './preference-queries.ts'

/**
 * Changes some of a user's settings in the File Manager. Returns all of them.
 * @throws {AppError} TIER_FILE_MANAGER for a user whose tier has no File Manager.
 */
export function changePreferences(
  { db }: Pick<Deps, 'db'>,
  { id, tier }: Pick<SessionUser, 'id' | 'tier'>,
  changes: Partial<Preferences>,
): Promise<Preferences> {
  if (!tierLimits[tier].fileManager) {
    throw new AppError('TIER_FILE_MANAGER', { message: tierErrorText(tier, 'TIER_FILE_MANAGER') })
  }
  return writePreferences(db, id, changes)
}

import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { selectedDays } from '../../shared/rules/tiers/tier-limits.ts'
import type { Deps } from '../deps.ts'
import { readPreferences } from './preference-queries.ts'

/** Returns how many days a new link works unless its owner says otherwise. */
export async function preferredDays(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  owner: { id: string; tier: Tier },
): Promise<number> {
  const { defaultExpirationDays } = await readPreferences(db, owner.id)
  return selectedDays((await settings.limits())[owner.tier], defaultExpirationDays)
}

import { eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { defaultTier, type Tier } from '../../shared/rules/tiers/tier.ts'
import type { StoredTier } from '../../shared/rules/tiers/trial.ts'
import { users } from '../db/schema.ts'
import { sqlLiteral } from '../db/sql.ts'
import type { Db } from '../deps.ts'

export type UserRow = typeof users.$inferSelect

/**
 * Returns SQL for the tier that the user in a row of `users` has at `now`. A test compares the
 * results with `effectiveTier`.
 */
export function tierAt(now: Date | SQLWrapper): SQL<Tier> {
  return sql`case when ${isTrialOver(now)} then ${freeLiteral} else ${users.tier} end`
}

/** Returns SQL that is true if the user in a row of `users` has Premium at `now`. */
export function hasPremiumAt(now: Date): SQL<boolean> {
  return sql`${tierAt(now)} = ${premiumLiteral}`
}

function isTrialOver(now: Date | SQLWrapper): SQL<boolean> {
  return sql`${users.tier} = ${premiumLiteral} and ${users.premiumTrialEndsAt} <= ${now}`
}

const freeLiteral = sqlLiteral<Tier>('free')
const premiumLiteral = sqlLiteral<Tier>('premium')

/**
 * Finds a user and locks the row until the transaction ends. Several transactions can hold a
 * `share` lock at once.
 */
export async function lockUser(
  tx: Db,
  userId: string,
  strength: 'no key update' | 'share' = 'no key update',
): Promise<UserRow | undefined> {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for(strength)
  return user
}

/** Finds a user without locking the row. */
export async function findUser(db: Db, userId: string): Promise<UserRow | undefined> {
  const [user] = await db.select().from(users).where(eq(users.id, userId))
  return user
}

/** Updates a user's tier and trial dates. Returns the updated user. */
export async function updateUserTier(
  tx: Db,
  userId: string,
  tierFields: StoredTier,
  now: Date,
): Promise<UserRow | undefined> {
  const { premiumTrialStartedAt, premiumTrialEndsAt } = tierFields
  const [user] = await tx
    .update(users)
    .set({
      tier: tierFields.tier ?? defaultTier,
      premiumTrialStartedAt,
      premiumTrialEndsAt,
      updatedAt: now,
    })
    .where(eq(users.id, userId))
    .returning()
  return user
}

export type EndedTrial = Pick<UserRow, 'id' | 'premiumTrialEndsAt'>

/**
 * Downgrades up to `limit` users whose trials have ended by `now`, and returns them. Skips users
 * locked by other transactions.
 */
export function endTrials(tx: Db, now: Date, limit: number): Promise<EndedTrial[]> {
  const endedTrialIdsQuery = tx
    .select({ id: users.id })
    .from(users)
    // `isTrialOver` contains the tier as a literal, because Postgres can't use the partial index on
    // trials if the tier is a parameter.
    .where(isTrialOver(now))
    .limit(limit)
    .for('no key update', { skipLocked: true })
  return tx
    .update(users)
    .set({ tier: 'free', updatedAt: now })
    .where(inArray(users.id, endedTrialIdsQuery))
    .returning({ id: users.id, premiumTrialEndsAt: users.premiumTrialEndsAt })
}

import { eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { defaultTier, type Tier } from '../../shared/rules/tiers/tier.ts'
import type { TierFacts } from '../../shared/rules/tiers/trial.ts'
import { users } from '../db/schema.ts'
import { sqlLiteral } from '../db/sql.ts'
import type { Db } from '../deps.ts'

export type UserRow = typeof users.$inferSelect

/**
 * Returns the tier that a row of `users` has at `now`, as SQL. `effectiveTier` decides the same,
 * and a test compares the two. If the row has a tier that this version does not know, the result is
 * that tier, so it equals no tier that a query asks for.
 */
export function tierAt(now: Date | SQLWrapper): SQL<Tier> {
  return sql`case when ${isTrialOver(now)} then ${free} else ${users.tier} end`
}

/** Returns SQL that tells whether a row of `users` has Premium at `now`. */
export function hasPremiumAt(now: Date): SQL<boolean> {
  return sql`${tierAt(now)} = ${premium}`
}

function isTrialOver(now: Date | SQLWrapper): SQL<boolean> {
  return sql`${users.tier} = ${premium} and ${users.premiumTrialEndsAt} <= ${now}`
}

const free = sqlLiteral<Tier>('free')
const premium = sqlLiteral<Tier>('premium')

/**
 * Finds a user, and locks the row against changes until the transaction ends. `share` lets others
 * take the same lock.
 */
export async function lockUser(
  tx: Db,
  userId: string,
  strength: 'no key update' | 'share' = 'no key update',
): Promise<UserRow | undefined> {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for(strength)
  return user
}

/** Finds a user, without locking the row; undefined when there is none (any more). */
export async function findUser(db: Db, userId: string): Promise<UserRow | undefined> {
  const [user] = await db.select().from(users).where(eq(users.id, userId))
  return user
}

/** Writes what decides a user's tier. Returns the user. */
export async function writeTierFacts(
  tx: Db,
  userId: string,
  facts: TierFacts,
  now: Date,
): Promise<UserRow | undefined> {
  const { premiumTrialStartedAt, premiumTrialEndsAt } = facts
  const [user] = await tx
    .update(users)
    .set({
      tier: facts.tier ?? defaultTier,
      premiumTrialStartedAt,
      premiumTrialEndsAt,
      updatedAt: now,
    })
    .where(eq(users.id, userId))
    .returning()
  return user
}

/** A user whose tier was set to free, because the trial has ended. */
export type EndedTrial = Pick<UserRow, 'id' | 'premiumTrialEndsAt'>

/**
 * Sets up to `limit` users whose trials have ended by `now` to free. Returns them. Users that
 * another transaction is changing are left alone.
 */
export function endTrials(tx: Db, now: Date, limit: number): Promise<EndedTrial[]> {
  const over = tx
    .select({ id: users.id })
    .from(users)
    // `isTrialOver` writes the tier as a literal, so that Postgres can use the index of running
    // trials.
    .where(isTrialOver(now))
    .limit(limit)
    .for('no key update', { skipLocked: true })
  return tx
    .update(users)
    .set({ tier: 'free', updatedAt: now })
    .where(inArray(users.id, over))
    .returning({ id: users.id, premiumTrialEndsAt: users.premiumTrialEndsAt })
}

/** The SQL of pending signups: those whose email's link nobody has used yet. */
import { and, desc, eq, gt, ne } from 'drizzle-orm'
import { accountTokens, pendingSignups, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** A login compares its password with at most this many pending signups of its address. */
const maxCompared = 20

/** A pending signup. Its address is in lower case. */
export type PendingSignup = typeof pendingSignups.$inferSelect

/** Stores a signup until the link in its email is used, or it expires. */
export async function insertPendingSignup(tx: Db, signup: PendingSignup): Promise<void> {
  await tx.insert(pendingSignups).values(signup)
}

/** Finds a signup that is pending at `now`. */
export async function findPendingSignup(
  db: Db,
  id: string,
  now: Date,
): Promise<PendingSignup | undefined> {
  const [signup] = await db
    .select()
    .from(pendingSignups)
    .where(and(eq(pendingSignups.id, id), gt(pendingSignups.expiresAt, now)))
  return signup
}

/** Finds a pending signup of this address: the one with this id, or else the newest. */
export async function findSignupToResend(
  db: Db,
  email: string,
  id: string | null,
  now: Date,
): Promise<PendingSignup | undefined> {
  const [signup] = await db
    .select()
    .from(pendingSignups)
    .where(isPending(email, now))
    .orderBy(desc(eq(pendingSignups.id, id ?? '')), desc(pendingSignups.createdAt))
    .limit(1)
  return signup
}

/** Finds the passwords of the pending signups of this address, those of the newest first. */
export function findPendingPasswords(
  db: Db,
  email: string,
  now: Date,
): Promise<{ id: string; passwordHash: string }[]> {
  return db
    .select({ id: pendingSignups.id, passwordHash: pendingSignups.passwordHash })
    .from(pendingSignups)
    .where(isPending(email, now))
    .orderBy(desc(pendingSignups.createdAt))
    .limit(maxCompared)
}

/** Sets when a signup expires. Returns false if it is gone. */
export async function extendPendingSignup(tx: Db, id: string, expiresAt: Date): Promise<boolean> {
  const { rowCount } = await tx
    .update(pendingSignups)
    .set({ expiresAt })
    .where(eq(pendingSignups.id, id))
  return rowCount === 1
}

/** Removes a pending signup, if it exists. */
export async function removePendingSignup(tx: Db, id: string): Promise<void> {
  await tx.delete(pendingSignups).where(eq(pendingSignups.id, id))
}

/**
 * Removes all pending signups of this address, so that the links in their emails stop working.
 * Whatever verifies an address calls this in its transaction.
 */
export async function removePendingSignups(tx: Db, email: string): Promise<void> {
  await tx.delete(pendingSignups).where(eq(pendingSignups.email, email))
}

/** What a token verifies: the address of a pending signup, or that of an account. */
export interface Verification {
  email: string
  stamp: string
  userId: string | null
  signup: PendingSignup | null
  /** Whether the account is verified already. */
  isDone: boolean
}

/** Finds what a token verifies, by the token's hash, unless the token or its signup has expired. */
export async function findVerification(
  db: Db,
  hash: string,
  now: Date,
): Promise<Verification | undefined> {
  const [found] = await db
    .select({ token: accountTokens, signup: pendingSignups, user: users })
    .from(accountTokens)
    .leftJoin(pendingSignups, eq(pendingSignups.id, accountTokens.signupId))
    .leftJoin(users, eq(users.id, accountTokens.userId))
    .where(
      and(
        eq(accountTokens.hash, hash),
        eq(accountTokens.purpose, 'verify-email'),
        gt(accountTokens.expiresAt, now),
      ),
    )
  const email = found?.signup?.email ?? found?.user?.email
  if (!found || !email) return undefined
  const { stamp, userId } = found.token
  return { email, stamp, userId, signup: found.signup, isDone: found.user?.emailVerified ?? false }
}

/** Moves a signup's tokens to the account that it became, so that its link can be used again. */
export async function moveTokens(tx: Db, signupId: string, userId: string): Promise<void> {
  await tx
    .update(accountTokens)
    .set({ userId, signupId: null })
    .where(eq(accountTokens.signupId, signupId))
}

/** Removes an account's tokens, except those that verify its address. */
export async function removeOtherTokens(tx: Db, userId: string): Promise<void> {
  await tx
    .delete(accountTokens)
    .where(and(eq(accountTokens.userId, userId), ne(accountTokens.purpose, 'verify-email')))
}

function isPending(email: string, now: Date) {
  return and(eq(pendingSignups.email, email), gt(pendingSignups.expiresAt, now))
}

/** SQL for pending signups, whose email link hasn't been used yet. */
import { and, desc, eq, gt, ne } from 'drizzle-orm'
import { accountTokens, pendingSignups, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** A login compares the password with those of at most this many pending signups. */
const maxComparedPasswords = 20

/** A pending signup. Its email address is in lower case. */
export type PendingSignup = typeof pendingSignups.$inferSelect

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

/**
 * Finds the pending signup with this id and email address, or failing that, the newest pending
 * signup for the address.
 */
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

/** Lists the password hashes of pending signups for an email address, newest first. */
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
    .limit(maxComparedPasswords)
}

/** Sets a signup's expiry time. Returns false if the signup no longer exists. */
export async function extendPendingSignup(tx: Db, id: string, expiresAt: Date): Promise<boolean> {
  const { rowCount } = await tx
    .update(pendingSignups)
    .set({ expiresAt })
    .where(eq(pendingSignups.id, id))
  return rowCount === 1
}

export async function removePendingSignup(tx: Db, id: string): Promise<void> {
  await tx.delete(pendingSignups).where(eq(pendingSignups.id, id))
}

/**
 * Removes all pending signups for this email address, which invalidates the links in their emails.
 * Must be called in every transaction that verifies an address.
 */
export async function removePendingSignups(tx: Db, email: string): Promise<void> {
  await tx.delete(pendingSignups).where(eq(pendingSignups.email, email))
}

/** The email address that a token verifies: a pending signup's or an account's. */
export interface Verification {
  email: string
  stamp: string
  userId: string | null
  signup: PendingSignup | null
  isVerified: boolean
}

/**
 * Finds the email address that a token verifies. Returns undefined if the token or its signup has
 * expired.
 */
export async function findVerification(
  db: Db,
  hash: string,
  now: Date,
): Promise<Verification | undefined> {
  const [row] = await db
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
  const email = row?.signup?.email ?? row?.user?.email
  if (!row || !email) return undefined
  const { stamp, userId } = row.token
  return {
    email,
    stamp,
    userId,
    signup: row.signup,
    isVerified: row.user?.emailVerified ?? false,
  }
}

/**
 * Moves a signup's tokens to the new account, so that the signup's link still works when it is
 * opened again.
 */
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

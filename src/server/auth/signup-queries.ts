/**
 * The SQL of signups that wait until the link in their email is opened, and of the letters to an
 * address.
 */
import { and, desc, eq, gt, ne, notInArray, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { LimitedLetter } from '../../shared/rules/accounts/letter-limit.ts'
import { accounts, accountTokens, pendingSignups, sentLetters, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { passwordProvider } from './queries.ts'

/**
 * At most this many signups of one address wait, because a login compares its password with all of
 * them. When the email of a new signup is written, older signups beyond this number are removed.
 * These emails are limited too (see `letterLimits`), so nobody can remove another person's signup
 * quickly.
 */
const mostWaiting = 20

/** A signup that waits, as the database stores it. Its address is in lower case. */
export type PendingSignup = typeof pendingSignups.$inferSelect

/** Keeps a signup until somebody follows the link in its letter, or it expires. */
export async function insertPendingSignup(tx: Db, signup: PendingSignup): Promise<void> {
  await tx.insert(pendingSignups).values(signup)
}

/** Finds a signup that still waits at `now`. */
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

/** Finds a signup of this address that waits at `now`: the one with this id, or else the newest. */
export async function findSignupToResend(
  db: Db,
  email: string,
  id: string | null,
  now: Date,
): Promise<PendingSignup | undefined> {
  const [signup] = await db
    .select()
    .from(pendingSignups)
    .where(waitsAt(email, now))
    .orderBy(desc(eq(pendingSignups.id, id ?? '')), desc(pendingSignups.createdAt))
    .limit(1)
  return signup
}

/** All stored hashes with which a password for one address is compared. */
export interface KnownPasswords {
  /** null if the address has no account, or its account no password. */
  account: { userId: string; passwordHash: string } | null
  waiting: readonly { signupId: string; passwordHash: string }[]
}

/**
 * Finds the passwords of an address: that of its account, and those of signups that wait at `now`.
 */
export async function findKnownPasswords(
  db: Db,
  email: string,
  now: Date,
): Promise<KnownPasswords> {
  const ofAccount = db
    .select({
      userId: sql<string | null>`${users.id}`,
      signupId: sql<string | null>`null`,
      passwordHash: accounts.password,
    })
    .from(users)
    .innerJoin(accounts, eq(accounts.userId, users.id))
    .where(and(eq(users.email, email), eq(accounts.providerId, passwordProvider)))
  const ofSignups = db
    .select({
      userId: sql<string | null>`null`,
      signupId: sql<string | null>`${pendingSignups.id}`,
      passwordHash: sql<string | null>`${pendingSignups.passwordHash}`,
    })
    .from(pendingSignups)
    .where(waitsAt(email, now))
    .orderBy(desc(pendingSignups.createdAt))
    .limit(mostWaiting)
  const known: {
    account: KnownPasswords['account']
    waiting: KnownPasswords['waiting'][number][]
  } = { account: null, waiting: [] }
  for (const { userId, signupId, passwordHash } of await unionAll(ofAccount, ofSignups)) {
    if (passwordHash === null) continue
    if (userId !== null) known.account = { userId, passwordHash }
    if (signupId !== null) known.waiting.push({ signupId, passwordHash })
  }
  return known
}

/** Lets a signup wait until `expiresAt`. Returns false if the signup no longer exists. */
export async function extendPendingSignup(tx: Db, id: string, expiresAt: Date): Promise<boolean> {
  const extended = await tx
    .update(pendingSignups)
    .set({ expiresAt })
    .where(eq(pendingSignups.id, id))
    .returning({ id: pendingSignups.id })
  return extended.length > 0
}

/** Removes a signup that waits. Does nothing if it is gone already. */
export async function removePendingSignup(tx: Db, id: string): Promise<void> {
  await tx.delete(pendingSignups).where(eq(pendingSignups.id, id))
}

/**
 * Removes the oldest signups of an address if too many wait. The caller must have called
 * `lockAddress`.
 */
export async function limitPendingSignups(tx: Db, email: string): Promise<void> {
  const newest = tx
    .select({ id: pendingSignups.id })
    .from(pendingSignups)
    .where(eq(pendingSignups.email, email))
    .orderBy(desc(pendingSignups.createdAt))
    .limit(mostWaiting)
  await tx
    .delete(pendingSignups)
    .where(and(eq(pendingSignups.email, email), notInArray(pendingSignups.id, newest)))
}

/** What a token verifies: the address of a waiting signup, or that of an account. */
export interface Verification {
  email: string
  stamp: string
  userId: string | null
  signup: PendingSignup | null
}

/**
 * Finds what a token verifies, by the token's hash. Neither the token nor its signup may have
 * expired at `now`.
 */
export async function findVerification(
  db: Db,
  hash: string,
  now: Date,
): Promise<Verification | undefined> {
  const [found] = await db
    .select({ token: accountTokens, signup: pendingSignups, email: users.email })
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
  const email = found?.signup?.email ?? found?.email
  if (!found || !email) return undefined
  const { stamp, userId } = found.token
  return { email, stamp, userId, signup: found.signup }
}

/**
 * Moves the tokens of a signup to the account that it became. So the same link can be opened again.
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

/** Counts the letters of a kind that went to an address after `moment`. */
export function countLetters(
  db: Db,
  { email, kind }: { email: string; kind: LimitedLetter },
  moment: Date,
): Promise<number> {
  return db.$count(
    sentLetters,
    and(eq(sentLetters.email, email), eq(sentLetters.kind, kind), gt(sentLetters.sentAt, moment)),
  )
}

/** Records that a letter of this kind goes to an address, so that it counts against the limit. */
export async function insertLetter(
  tx: Db,
  letter: { email: string; kind: LimitedLetter; sentAt: Date },
): Promise<void> {
  await tx.insert(sentLetters).values(letter)
}

function waitsAt(email: string, now: Date) {
  return and(eq(pendingSignups.email, email), gt(pendingSignups.expiresAt, now))
}

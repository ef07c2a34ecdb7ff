import { randomUUID } from 'node:crypto'
import { and, eq, gt, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { letterWindowMs } from '../../shared/rules/accounts/letter-limit.ts'
import type { TokenPurpose } from '../../shared/rules/accounts/token-purpose.ts'
import { removeInBatches } from '../db/in-batches.ts'
import {
  accounts,
  accountTokens,
  pendingSignups,
  rateLimits,
  sentLetters,
  sessions,
  users,
  verifications,
} from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** Better Auth's name for the way to sign in with a password. */
export const passwordProvider = 'credential'

/**
 * Returns the id of the user with this address, or null. The address must be in lower case, as the
 * database stores it.
 */
export async function findUserId(db: Db, email: string): Promise<string | null> {
  const [row] = await db.select({ id: users.id }).from(users).where(eq(users.email, email)).limit(1)
  return row?.id ?? null
}

/** Returns the password hash of the account with this address (in lower case), or null. */
export async function findPasswordHash(db: Db, email: string): Promise<string | null> {
  const [row] = await db
    .select({ password: accounts.password })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.userId))
    .where(and(eq(users.email, email), eq(accounts.providerId, passwordProvider)))
    .limit(1)
  return row?.password ?? null
}

/** Finds the administrator; undefined before the first start has made the account. */
export async function findAdministrator(db: Db): Promise<{ email: string } | undefined> {
  const [row] = await db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.role, 'admin'))
    .limit(1)
  return row
}

/**
 * Makes the account the administrator's. Its mail address counts as verified, because the operator
 * chose it.
 * @returns the id of the account; null if there is none with this address.
 */
export async function makeAdministrator(tx: Db, email: string): Promise<string | null> {
  const [made] = await tx
    .update(users)
    .set({ role: 'admin', emailVerified: true })
    .where(eq(users.email, email))
    .returning({ id: users.id })
  return made?.id ?? null
}

/**
 * Removes rows that have expired by `now`: sessions, requests to sign in with Google (Better Auth's
 * table `verifications`), records of sent letters, tokens of emails, waiting signups, and counters
 * of attempts. They have no effect any more, so this only saves space. It works in batches, each in
 * its own statement.
 * @returns how many rows were removed.
 */
export async function removeLapsedRows(db: Db, now: Date): Promise<number> {
  const countedUntil = new Date(now.getTime() - letterWindowMs)
  let removed = 0
  for (const [key, isLapsed] of [
    [sessions.id, lte(sessions.expiresAt, now)],
    [verifications.id, lt(verifications.expiresAt, now)],
    [sentLetters.id, lt(sentLetters.sentAt, countedUntil)],
    [accountTokens.hash, lt(accountTokens.expiresAt, now)],
    [pendingSignups.id, lt(pendingSignups.expiresAt, now)],
    [rateLimits.key, lt(rateLimits.expire, now.getTime())],
  ] as const) {
    removed += await removeInBatches((limit) => removeRows(db, key, isLapsed, limit))
  }
  return removed
}

/**
 * Removes at most `limit` rows that meet a condition from the table of this primary key. It skips
 * rows that another transaction has locked, because waiting for them could be a deadlock. For
 * example, a link in an email removes several signups of one address at the same time.
 */
async function removeRows(db: Db, key: PgColumn, condition: SQL, limit: number): Promise<number> {
  const keys = db
    .select({ key })
    .from(key.table)
    .where(condition)
    .limit(limit)
    .for('update', { skipLocked: true })
  const { rowCount } = await db.delete(key.table).where(inArray(key, keys))
  return rowCount ?? 0
}

/**
 * What decides whether somebody can log in to an account. `passwordHash` is null if it has no
 * password.
 */
export interface Credentials {
  userId: string
  email: string
  firstName: string
  /** Whether the owner has proved that they read the mail of this address. */
  emailVerified: boolean
  passwordHash: string | null
}

const credentials = {
  userId: users.id,
  email: users.email,
  firstName: users.firstName,
  emailVerified: users.emailVerified,
  passwordHash: accounts.password,
}
const passwordOfUser = and(eq(accounts.userId, users.id), eq(accounts.providerId, passwordProvider))

/** Finds the credentials of the account with this address, which is given in lower case. */
export async function findCredentialsByEmail(
  db: Db,
  email: string,
): Promise<Credentials | undefined> {
  const [row] = await db
    .select(credentials)
    .from(users)
    .leftJoin(accounts, passwordOfUser)
    .where(eq(users.email, email))
  return row
}

/** Finds the credentials of an account; undefined when it does not exist (any more). */
export async function findCredentials(db: Db, userId: string): Promise<Credentials | undefined> {
  const [row] = await db
    .select(credentials)
    .from(users)
    .leftJoin(accounts, passwordOfUser)
    .where(eq(users.id, userId))
  return row
}

/**
 * Finds credentials as `findCredentials` does, and locks the account against changes until the
 * transaction ends.
 */
export async function lockCredentials(tx: Db, userId: string): Promise<Credentials | undefined> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  return findCredentials(tx, userId)
}

/** The token of a link in an email, as the database keeps it. */
export type AccountToken = typeof accountTokens.$inferSelect

/** Adds the token of a link in an email, for an account or for a waiting signup. */
export async function insertAccountToken(
  db: Db,
  token: Omit<AccountToken, 'userId' | 'signupId'> & ({ userId: string } | { signupId: string }),
): Promise<void> {
  await db.insert(accountTokens).values(token)
}

/** Finds a token for this purpose that has not expired at `now`. */
export async function findAccountToken(
  db: Db,
  purpose: TokenPurpose,
  hash: string,
  now: Date,
): Promise<AccountToken | undefined> {
  const [token] = await db
    .select()
    .from(accountTokens)
    .where(
      and(
        eq(accountTokens.hash, hash),
        eq(accountTokens.purpose, purpose),
        gt(accountTokens.expiresAt, now),
      ),
    )
  return token
}

/**
 * Removes a token, so that it works only once. Returns false when it was removed already. Of
 * parallel callers exactly one gets true.
 */
export async function consumeAccountToken(tx: Db, hash: string): Promise<boolean> {
  const used = await tx
    .delete(accountTokens)
    .where(eq(accountTokens.hash, hash))
    .returning({ hash: accountTokens.hash })
  return used.length > 0
}

/** Sets an account's password, even if it had none. */
export async function setPassword(
  tx: Db,
  userId: string,
  password: string,
  now: Date,
): Promise<void> {
  const changed = await tx
    .update(accounts)
    .set({ password, updatedAt: now })
    .where(and(eq(accounts.userId, userId), eq(accounts.providerId, passwordProvider)))
    .returning({ id: accounts.id })
  if (changed.length > 0) return
  await tx.insert(accounts).values({
    id: randomUUID(),
    userId,
    accountId: userId,
    providerId: passwordProvider,
    password,
    createdAt: now,
    updatedAt: now,
  })
}

/**
 * Changes a user's names. A name that is left out stays. It is one statement, so that two parallel
 * changes give a full name that fits both. Returns undefined if the user does not exist any more.
 */
export async function renameUser(
  db: Db,
  userId: string,
  { firstName, lastName }: { firstName?: string | undefined; lastName?: string | undefined },
  now: Date,
): Promise<{ name: string; firstName: string; lastName: string } | undefined> {
  const first = sql`coalesce(${firstName ?? null}::text, ${users.firstName})`
  const last = sql`coalesce(${lastName ?? null}::text, ${users.lastName})`
  const [renamed] = await db
    .update(users)
    .set({
      firstName: first,
      lastName: last,
      name: sql`trim(${first} || ' ' || ${last})`,
      updatedAt: now,
    })
    .where(eq(users.id, userId))
    .returning({ name: users.name, firstName: users.firstName, lastName: users.lastName })
  return renamed
}

/** Records that the account's owner reads the mail of its address. */
export async function markEmailVerified(tx: Db, userId: string, now: Date): Promise<void> {
  await tx.update(users).set({ emailVerified: true, updatedAt: now }).where(eq(users.id, userId))
}

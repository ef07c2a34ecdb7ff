/** SQL for accounts and email tokens. */
import { randomUUID } from 'node:crypto'
import { and, eq, getTableColumns, gt, lt, lte, type SQL, sql } from 'drizzle-orm'
import { maxEmailWindowMs } from '../../shared/rules/accounts/email-limits.ts'
import type { TokenPurpose } from '../../shared/rules/accounts/session-lifetime.ts'
import {
  accounts,
  accountTokens,
  apiKeys,
  pendingSignups,
  rateLimits,
  sentEmails,
  sessions,
  users,
  verifications,
} from '../db/schema.ts'
import { deleteInBatches } from '../db/sql.ts'
import type { Db } from '../deps.ts'

/** The provider ids in the table `accounts`, one for each sign-in method. */
export const providers = { password: 'credential', google: 'google' } as const

/** A user and the hash of their password, which is null for an account without a password. */
export type Account = typeof users.$inferSelect & { passwordHash: string | null }

const accountColumns = { ...getTableColumns(users), passwordHash: accounts.password }
const hasPassword = and(eq(accounts.userId, users.id), eq(accounts.providerId, providers.password))

/** Finds the account with this email address (in lower case). */
export function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  return findAccountWhere(db, eq(users.email, email))
}

/** Finds the account with this id. Returns undefined if it has been deleted. */
export function findAccount(db: Db, userId: string): Promise<Account | undefined> {
  return findAccountWhere(db, eq(users.id, userId))
}

async function findAccountWhere(db: Db, condition: SQL): Promise<Account | undefined> {
  const [row] = await db
    .select(accountColumns)
    .from(users)
    .leftJoin(accounts, hasPassword)
    .where(condition)
  return row
}

/** Finds an account and locks it until the transaction ends. */
export async function lockAccount(tx: Db, userId: string): Promise<Account | undefined> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  return findAccount(tx, userId)
}

/** The first key of the two-key advisory locks that `lockAddress` takes. Used for nothing else. */
const addressLockKey = 7_226_115

/**
 * Locks an email address (in lower case) until the transaction ends, even if it has no account. To
 * avoid deadlocks, take this lock before any row lock.
 */
export async function lockAddress(tx: Db, email: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${addressLockKey}, hashtext(${email}))`)
}

/** Finds the administrator. Returns undefined before the first start has created the account. */
export async function findAdministrator(db: Db): Promise<{ email: string } | undefined> {
  const [row] = await db.select({ email: users.email }).from(users).where(eq(users.role, 'admin'))
  return row
}

/**
 * The owner of a new account, or of an account that is being handed over. `email` is in lower case.
 */
export interface AccountOwner {
  email: string
  firstName: string
  lastName: string
  /** The URL of the owner's picture, or null. */
  picture: string | null
}

/** Creates a user. Returns the id, or null if the email address is taken. */
export async function insertUser(
  tx: Db,
  owner: AccountOwner,
  { emailVerified, now }: { emailVerified: boolean; now: Date },
): Promise<string | null> {
  const [createdUser] = await tx
    .insert(users)
    .values({
      id: randomUUID(),
      email: owner.email,
      emailVerified,
      ...toOwnerColumns(owner, now),
      createdAt: now,
    })
    .onConflictDoNothing()
    .returning({ id: users.id })
  return createdUser?.id ?? null
}

/**
 * Hands an unverified account over to the owner of its email address. Removes the account's
 * sessions, its ways to sign in and the tokens in earlier emails. The files stay, because both
 * users are usually the same person.
 */
export async function handOverUser(
  tx: Db,
  userId: string,
  owner: AccountOwner,
  now: Date,
): Promise<void> {
  await tx
    .update(users)
    .set({ ...toOwnerColumns(owner, now), emailVerified: true })
    .where(eq(users.id, userId))
  await tx.delete(accounts).where(eq(accounts.userId, userId))
  await tx.delete(accountTokens).where(eq(accountTokens.userId, userId))
  await tx.delete(apiKeys).where(eq(apiKeys.ownerId, userId))
  await tx.delete(sessions).where(eq(sessions.userId, userId))
}

function toOwnerColumns({ firstName, lastName, picture }: AccountOwner, updatedAt: Date) {
  return { firstName, lastName, name: `${firstName} ${lastName}`.trim(), image: picture, updatedAt }
}

export async function makeAdministrator(tx: Db, userId: string): Promise<void> {
  await tx.update(users).set({ role: 'admin', emailVerified: true }).where(eq(users.id, userId))
}

/** Records that an account's owner has proved access to the account's email address. */
export async function markEmailVerified(tx: Db, userId: string, now: Date): Promise<void> {
  await tx.update(users).set({ emailVerified: true, updatedAt: now }).where(eq(users.id, userId))
}

/** Sets an account's password, even if it had none. */
export async function setPassword(
  tx: Db,
  userId: string,
  password: string,
  now: Date,
): Promise<void> {
  await tx
    .insert(accounts)
    .values({
      id: randomUUID(),
      userId,
      accountId: userId,
      providerId: providers.password,
      password,
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoUpdate({
      target: [accounts.userId, accounts.providerId],
      set: { password, updatedAt: now },
    })
}

/**
 * Changes a user's names. Omitted names stay unchanged. Uses a single statement, so that parallel
 * changes produce a consistent full name.
 * @returns undefined for a deleted user.
 */
export async function renameUser(
  db: Db,
  userId: string,
  { firstName, lastName }: { firstName?: string | undefined; lastName?: string | undefined },
  now: Date,
): Promise<{ name: string; firstName: string; lastName: string } | undefined> {
  const newFirstName = sql`coalesce(${firstName ?? null}::text, ${users.firstName})`
  const newLastName = sql`coalesce(${lastName ?? null}::text, ${users.lastName})`
  const [row] = await db
    .update(users)
    .set({
      firstName: newFirstName,
      lastName: newLastName,
      name: sql`trim(${newFirstName} || ' ' || ${newLastName})`,
      updatedAt: now,
    })
    .where(eq(users.id, userId))
    .returning({ name: users.name, firstName: users.firstName, lastName: users.lastName })
  return row
}

export type AccountToken = typeof accountTokens.$inferSelect

/** Adds an email token for an account or a pending signup. */
export async function insertAccountToken(
  db: Db,
  token: Omit<AccountToken, 'userId' | 'signupId'> & ({ userId: string } | { signupId: string }),
): Promise<void> {
  await db.insert(accountTokens).values(token)
}

/** Finds the token with this hash and purpose. Returns undefined if it isn't valid at `now`. */
export async function findAccountToken(
  db: Db,
  purpose: TokenPurpose,
  hash: string,
  now: Date,
): Promise<AccountToken | undefined> {
  const [tokenRow] = await db
    .select()
    .from(accountTokens)
    .where(
      and(
        eq(accountTokens.hash, hash),
        eq(accountTokens.purpose, purpose),
        gt(accountTokens.expiresAt, now),
      ),
    )
  return tokenRow
}

/**
 * Removes a token, which makes it single-use. Exactly one of several parallel calls returns true.
 */
export async function consumeAccountToken(tx: Db, hash: string): Promise<boolean> {
  const { rowCount } = await tx.delete(accountTokens).where(eq(accountTokens.hash, hash))
  return rowCount === 1
}

/**
 * Removes expired rows to save space: sessions, sign-ins with Google, records of sent emails, email
 * tokens, pending signups and rate limits. Works in batches, each in its own statement.
 * @returns the number of removed rows.
 */
export async function removeExpiredRows(db: Db, now: Date): Promise<number> {
  const emailCutoff = new Date(now.getTime() - maxEmailWindowMs)
  let removedCount = 0
  for (const [key, isExpired] of [
    [sessions.id, lte(sessions.expiresAt, now)],
    [verifications.identifier, lt(verifications.expiresAt, now)],
    [sentEmails.id, lt(sentEmails.sentAt, emailCutoff)],
    [accountTokens.hash, lt(accountTokens.expiresAt, now)],
    [pendingSignups.id, lt(pendingSignups.expiresAt, now)],
    [rateLimits.key, lt(rateLimits.expire, now.getTime())],
  ] as const) {
    removedCount += await deleteInBatches(db, key, isExpired)
  }
  return removedCount
}

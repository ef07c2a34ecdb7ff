import { randomUUID } from 'node:crypto'
import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import type { TokenPurpose } from '../../shared/rules/token-purpose.ts'
import {
  accounts,
  accountTokens,
  rateLimits,
  sessions,
  users,
  verifications,
} from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** What Better Auth calls the way to sign in with a password. */
const passwordProvider = 'credential'

/** The id of the user with this address (in lower case, as all are stored), or null. */
export async function findUserId(db: Db, email: string): Promise<string | null> {
  const [row] = await db.select({ id: users.id }).from(users).where(eq(users.email, email)).limit(1)
  return row?.id ?? null
}

/** The stored hash of the password of the account with this address (in lower case), or null. */
export async function findPasswordHash(db: Db, email: string): Promise<string | null> {
  const [row] = await db
    .select({ password: accounts.password })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.userId))
    .where(and(eq(users.email, email), eq(accounts.providerId, passwordProvider)))
    .limit(1)
  return row?.password ?? null
}

/** Finds a session and its user by the session's token, over or not: one query, prepared once. */
export function prepareFindSession(db: Db) {
  const query = db
    .select({ expiresAt: sessions.expiresAt, user: users })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.token, sql.placeholder('token')))
    .prepare('find_session')
  return async (token: string) => {
    const [found] = await query.execute({ token })
    return found
  }
}

export async function findAdministrator(db: Db): Promise<{ email: string } | undefined> {
  const [row] = await db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.role, 'admin'))
    .limit(1)
  return row
}

/** The administrator's mail address needs no proof: whoever runs the server named it. */
export async function makeAdministrator(db: Db, email: string): Promise<void> {
  await db.update(users).set({ role: 'admin', emailVerified: true }).where(eq(users.email, email))
}

/** Removes sessions, one-time values and attempt counters that are over at `now`; all are dead by their dates already. */
export async function removeLapsedRows(db: Db, now: Date): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, now))
  await db.delete(verifications).where(lt(verifications.expiresAt, now))
  await db.delete(accountTokens).where(lt(accountTokens.expiresAt, now))
  // One that is counted in at this moment begins anew by itself; waiting for it could be a deadlock.
  const lapsed = db
    .select({ key: rateLimits.key })
    .from(rateLimits)
    .where(lt(rateLimits.expire, now.getTime()))
    .for('update', { skipLocked: true })
  await db.delete(rateLimits).where(inArray(rateLimits.key, lapsed))
}

/** An account by what its credentials are; `passwordHash` is null where it has no password yet. */
export interface Credentials {
  userId: string
  email: string
  firstName: string
  /** Whether who signed up with this address reads its mail. */
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

export async function findCredentials(db: Db, userId: string): Promise<Credentials | undefined> {
  const [row] = await db
    .select(credentials)
    .from(users)
    .leftJoin(accounts, passwordOfUser)
    .where(eq(users.id, userId))
  return row
}

/** As `findCredentials`, and nobody else changes this account until the transaction ends. */
export async function lockCredentials(tx: Db, userId: string): Promise<Credentials | undefined> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  return findCredentials(tx, userId)
}

/** A token of a letter as it is kept. */
export type AccountToken = typeof accountTokens.$inferSelect

export async function insertAccountToken(db: Db, token: AccountToken): Promise<void> {
  await db.insert(accountTokens).values(token)
}

/** How many tokens of an account for this purpose are over only after `moment`. */
export function countAccountTokens(
  db: Db,
  purpose: TokenPurpose,
  userId: string,
  moment: Date,
): Promise<number> {
  return db.$count(
    accountTokens,
    and(
      eq(accountTokens.userId, userId),
      eq(accountTokens.purpose, purpose),
      gt(accountTokens.expiresAt, moment),
    ),
  )
}

/** A token for this purpose that is not over at `now`. */
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

/** Takes a token out of use. False when it was used before: of parallel callers exactly one is told true. */
export async function consumeAccountToken(tx: Db, hash: string): Promise<boolean> {
  const used = await tx
    .delete(accountTokens)
    .where(eq(accountTokens.hash, hash))
    .returning({ hash: accountTokens.hash })
  return used.length > 0
}

/** Sets an account's password, its first one too. */
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

/** Notes that whoever owns this account reads the mail of its address. */
export async function markEmailVerified(tx: Db, userId: string, now: Date): Promise<void> {
  await tx.update(users).set({ emailVerified: true, updatedAt: now }).where(eq(users.id, userId))
}

/** Signs an account out in every browser. */
export async function endSessions(tx: Db, userId: string): Promise<void> {
  await tx.delete(sessions).where(eq(sessions.userId, userId))
}

/** Signs one browser out. */
export async function endSession(tx: Db, token: string): Promise<void> {
  await tx.delete(sessions).where(eq(sessions.token, token))
}

import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { accounts, rateLimits, sessions, users, verifications } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** The id of the user with this address (in lower case, as all are stored), or null. */
export const findUserId = async (db: Db, email: string): Promise<string | null> => {
  const [row] = await db.select({ id: users.id }).from(users).where(eq(users.email, email)).limit(1)
  return row?.id ?? null
}

/** The stored hash of the password of the account with this address (in lower case), or null. */
export const findPasswordHash = async (db: Db, email: string): Promise<string | null> => {
  const [row] = await db
    .select({ password: accounts.password })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.userId))
    .where(and(eq(users.email, email), eq(accounts.providerId, 'credential')))
    .limit(1)
  return row?.password ?? null
}

/** Finds a session and its user by the session's token, over or not: one query, prepared once. */
export const prepareFindSession = (db: Db) => {
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

export const findAdministrator = async (db: Db): Promise<{ email: string } | undefined> => {
  const [row] = await db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.role, 'admin'))
    .limit(1)
  return row
}

/** The administrator's mail address needs no proof: whoever runs the server named it. */
export const makeAdministrator = async (db: Db, email: string): Promise<void> => {
  await db.update(users).set({ role: 'admin', emailVerified: true }).where(eq(users.email, email))
}

/** Removes sessions, one-time values and attempt counters that are over at `now`; all are dead by their dates already. */
export const removeLapsedRows = async (db: Db, now: Date): Promise<void> => {
  await db.delete(sessions).where(lt(sessions.expiresAt, now))
  await db.delete(verifications).where(lt(verifications.expiresAt, now))
  // One that is counted in at this moment begins anew by itself; waiting for it could be a deadlock.
  const lapsed = db
    .select({ key: rateLimits.key })
    .from(rateLimits)
    .where(lt(rateLimits.expire, now.getTime()))
    .for('update', { skipLocked: true })
  await db.delete(rateLimits).where(inArray(rateLimits.key, lapsed))
}

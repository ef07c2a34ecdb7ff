import { randomUUID } from 'node:crypto'
import { and, desc, eq, gt, ne, sql } from 'drizzle-orm'
import { keysForPlan } from '../db/keys-for-plan.ts'
import { sessions, users } from '../db/schema.ts'
import { lookUpTogether } from '../db/together.ts'
import type { Db } from '../deps.ts'
import type { SessionUse } from './new-session.ts'

/**
 * Makes the function that finds a session and its user by the session's token. It also finds
 * sessions that have expired. Nearly every request of a person who is signed in needs it, so the
 * query is prepared, and requests that arrive at the same moment share one.
 */
export function prepareFindSession(db: Db) {
  const query = db
    .select({
      id: sessions.id,
      token: sessions.token,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.updatedAt,
      expiresAt: sessions.expiresAt,
      user: users,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(sql`${sessions.token} = any(${sql.placeholder('tokens')})`)
    .prepare('find_sessions')
  return lookUpTogether(async (tokens) => {
    const found = await query.execute({ tokens: keysForPlan(tokens) })
    return new Map(found.map(({ token, ...session }) => [token, session]))
  })
}

/**
 * Records that a session is used. Of parallel requests only the first one records it. A session
 * that was ended meanwhile stays ended.
 */
export async function noteSessionSeen(
  db: Db,
  found: { id: string; lastSeenAt: Date },
  seen: SessionUse & { lastSeenAt: Date; expiresAt: Date },
): Promise<void> {
  const { lastSeenAt, ...changed } = seen
  await db
    .update(sessions)
    .set({ updatedAt: lastSeenAt, ...changed })
    .where(and(eq(sessions.id, found.id), eq(sessions.updatedAt, found.lastSeenAt)))
}

/**
 * A session as its user sees it. It lacks the token, because anybody who has the token is signed
 * in.
 */
export interface ListedSession extends SessionUse {
  id: string
  createdAt: Date
  lastSeenAt: Date
}

/** A user's list of sessions has at most this many entries. */
const mostListed = 100

/**
 * Lists a user's sessions that have not expired at `now`: first the one of this request, then the
 * others, the last used first.
 */
export function listSessions(
  db: Db,
  { userId, sessionId }: OwnSession,
  now: Date,
): Promise<ListedSession[]> {
  return db
    .select({
      id: sessions.id,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.updatedAt,
      userAgent: sessions.userAgent,
      ipAddress: sessions.ipAddress,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
    .orderBy(desc(eq(sessions.id, sessionId)), desc(sessions.updatedAt), sessions.id)
    .limit(mostListed)
}

/** A user and one of the user's sessions. */
export interface OwnSession {
  userId: string
  sessionId: string
}

function isOwn({ userId, sessionId }: OwnSession) {
  return and(eq(sessions.id, sessionId), eq(sessions.userId, userId))
}

/** Tells whether this session still exists and belongs to the user. */
export async function hasSession(db: Db, own: OwnSession): Promise<boolean> {
  return (await db.$count(sessions, isOwn(own))) > 0
}

/**
 * Ends a user's session. Returns false if there is none with this id, or it belongs to another
 * user.
 */
export async function endOwnSession(db: Db, own: OwnSession): Promise<boolean> {
  const ended = await db.delete(sessions).where(isOwn(own)).returning({ id: sessions.id })
  return ended.length > 0
}

/** Ends all of a user's sessions but one. */
export async function endOtherSessions(db: Db, { userId, sessionId }: OwnSession): Promise<void> {
  await db.delete(sessions).where(and(eq(sessions.userId, userId), ne(sessions.id, sessionId)))
}

/**
 * Gives a user's session another token, so that copies of its cookie sign nobody in any more. The
 * end of the session does not change. Returns when the user logged in, or null if the session was
 * ended meanwhile.
 */
export async function replaceToken(tx: Db, own: OwnSession, token: string): Promise<Date | null> {
  const [replaced] = await tx
    .update(sessions)
    .set({ token })
    .where(isOwn(own))
    .returning({ createdAt: sessions.createdAt })
  return replaced?.createdAt ?? null
}

/** Opens a session without Better Auth, for a sign-in with Google. */
export async function insertSession(
  db: Db,
  session: Omit<typeof sessions.$inferInsert, 'id'>,
): Promise<void> {
  await db.insert(sessions).values({ id: randomUUID(), ...session })
}

/** Ends one session by its token. */
export async function endSession(db: Db, token: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.token, token))
}

/** Signs an account out in every browser. */
export async function endSessions(db: Db, userId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.userId, userId))
}

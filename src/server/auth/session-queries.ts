import { and, eq, sql } from 'drizzle-orm'
import { sessions, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import type { SessionUse } from './new-session.ts'

/**
 * Prepares the query that finds a session and its user by the session's token. It also finds
 * sessions that are over.
 */
export function prepareFindSession(db: Db) {
  const query = db
    .select({
      id: sessions.id,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.updatedAt,
      expiresAt: sessions.expiresAt,
      user: users,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.token, sql.placeholder('token')))
    .prepare('find_session')
  return async (token: string) => {
    const [found] = await query.execute({ token })
    return found
  }
}

/**
 * Notes the use of a session that was found. Of parallel requests only the first notes it. A
 * session that was ended meanwhile stays ended.
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

/** Ends one session by its token. */
export async function endSession(db: Db, token: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.token, token))
}

/** Signs an account out in every browser. */
export async function endSessions(db: Db, userId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.userId, userId))
}

import { randomUUID } from 'node:crypto'
import DataLoader from 'dataloader'
import { and, desc, eq, gt, ne, sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { lastSeenIntervalMs, sessionExpiry } from '../../shared/rules/accounts/session-lifetime.ts'
import { apiKeys, sessions, users } from '../db/schema.ts'
import type { Db, Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { readBearerKey, type Session, toSessionUser } from '../http/session.ts'
import { readSessionToken } from './cookies.ts'
import { newToken } from './secrets.ts'

/** Longer values are truncated. Browsers send about 150 characters. */
const maxUserAgentLength = 400
const maxListedSessions = 100

/** The browser and IP address from which a session is used. */
export interface SessionClient {
  userAgent: string | null
  ipAddress: string | null
}

export interface OwnSession {
  userId: string
  sessionId: string
}

/** Returns the request details stored with a session. */
export function readSessionClient(headers: Headers, clientAddress: string): SessionClient {
  const userAgent = headers.get('user-agent')?.slice(0, maxUserAgentLength).trim()
  return { userAgent: userAgent || null, ipAddress: clientAddress }
}

/**
 * Opens a session and ends the browser's previous one, in case its cookie was copied.
 * @param previousToken the token of the previous session, or null.
 */
export async function openSession(
  tx: Db,
  { userId, sessionClient, now }: { userId: string; sessionClient: SessionClient; now: Date },
  previousToken: string | null,
): Promise<{ token: string; createdAt: Date }> {
  const token = newToken()
  await tx.insert(sessions).values({
    id: randomUUID(),
    token,
    userId,
    createdAt: now,
    updatedAt: now,
    expiresAt: sessionExpiry({ createdAt: now, lastSeenAt: now }),
    ...sessionClient,
  })
  if (previousToken !== null) await endSession(tx, previousToken)
  return { token, createdAt: now }
}

/**
 * Returns a loader that finds sessions by token, together with their users. It also finds expired
 * sessions.
 */
function createSessionLoader(db: Db) {
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
  // Lookups in the same tick of the event loop share a query. Nothing is cached.
  return new DataLoader(
    async (tokens: readonly string[]) => {
      const rows = await query.execute({ tokens })
      const byToken = new Map(rows.map((session) => [session.token, session]))
      return tokens.map((token) => byToken.get(token) ?? null)
    },
    { cache: false, batchScheduleFn: setImmediate },
  )
}

/** Records that a session was used, once for parallel requests. Never revives an ended session. */
async function recordSessionUse(
  db: Db,
  session: { id: string; createdAt: Date; lastSeenAt: Date },
  sessionClient: SessionClient,
  now: Date,
): Promise<void> {
  const expiresAt = sessionExpiry({ createdAt: session.createdAt, lastSeenAt: now })
  await db
    .update(sessions)
    .set({ updatedAt: now, expiresAt, ...sessionClient })
    .where(and(eq(sessions.id, session.id), eq(sessions.updatedAt, session.lastSeenAt)))
}

/**
 * Lists a user's active sessions: the caller's first, then the others, most recently used first.
 */
export function listSessions(db: Db, { userId, sessionId }: OwnSession, now: Date) {
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
    .limit(maxListedSessions)
}

/** True if the session exists and belongs to the user. */
export async function hasSession(db: Db, session: OwnSession): Promise<boolean> {
  return (await db.$count(sessions, isOwn(session))) > 0
}

/** Returns when the user signed in; null if the session has ended. */
export async function findSignInTime(db: Db, session: OwnSession): Promise<Date | null> {
  const [row] = await db
    .select({ createdAt: sessions.createdAt })
    .from(sessions)
    .where(isOwn(session))
  return row?.createdAt ?? null
}

/**
 * Gives a session a new token, which invalidates copies of its cookie.
 * @returns the time of the login; null if the session has ended.
 */
export async function replaceToken(
  tx: Db,
  session: OwnSession,
  token: string,
): Promise<Date | null> {
  const [row] = await tx
    .update(sessions)
    .set({ token })
    .where(isOwn(session))
    .returning({ createdAt: sessions.createdAt })
  return row?.createdAt ?? null
}

/** Ends one of the user's sessions. Returns false if the user has none with this id. */
export async function endOwnSession(db: Db, session: OwnSession): Promise<boolean> {
  const { rowCount } = await db.delete(sessions).where(isOwn(session))
  return rowCount === 1
}

export async function endOtherSessions(db: Db, { userId, sessionId }: OwnSession): Promise<void> {
  await db.delete(sessions).where(and(eq(sessions.userId, userId), ne(sessions.id, sessionId)))
}

export async function endSession(db: Db, token: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.token, token))
}

/** Ends all of a user's sessions, and revokes the API keys that they may have created. */
export async function endSessions(tx: Db, userId: string): Promise<void> {
  await tx.delete(apiKeys).where(eq(apiKeys.ownerId, userId))
  await tx.delete(sessions).where(eq(sessions.userId, userId))
}

function isOwn({ userId, sessionId }: OwnSession) {
  return and(eq(sessions.id, sessionId), eq(sessions.userId, userId))
}

/**
 * Returns a function that finds a request's session with one query. From time to time it records
 * that the session was used, which extends the session (`session-lifetime.ts`). Requests with
 * `isPolled` don't extend it, because open pages poll without user activity.
 *
 * Doesn't clear an expired session's cookies, because this response may arrive after the response
 * to a new login.
 */
export function createSessionReader(deps: Pick<Deps, 'clock' | 'config' | 'db' | 'secret'>) {
  const { clock, db } = deps
  const sessionsByToken = createSessionLoader(db)
  return async (
    context: Context<HttpEnv>,
    { isPolled = false }: { isPolled?: boolean } = {},
  ): Promise<Session | null> => {
    const token = readBearerKey(context) === null ? readSessionToken(deps, context) : null
    if (token === null) return null
    const session = await sessionsByToken.load(token)
    const now = clock()
    if (!session || now >= session.expiresAt) return null
    if (!isPolled && now.getTime() - session.lastSeenAt.getTime() >= lastSeenIntervalMs) {
      const sessionClient = readSessionClient(context.req.raw.headers, context.get('clientAddress'))
      // On a full disk the session stays valid, although its use can't be recorded, so that users
      // can still delete files.
      await recordSessionUse(db, session, sessionClient, now).catch((error: unknown) =>
        context.get('log').warn({ err: error }, 'the use of a session was not recorded'),
      )
    }
    return { id: session.id, user: toSessionUser(session.user, now) }
  }
}

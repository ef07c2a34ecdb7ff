import type { Context } from 'hono'
import { getSignedCookie } from 'hono/cookie'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { renewSession, type SessionUser, toSessionUser } from '../http/session.ts'
import { prepareFindSession } from './queries.ts'

/**
 * Makes the function that tells who a request's session cookie belongs to, or null. It costs no
 * query without a cookie of ours and one with it.
 *
 * A session that is alive and not yet due to be extended, which is nearly always, is read here by
 * one prepared query, with Better Auth's own secret and cookie: its way there takes two queries and
 * seven times the processor time, at every request of everybody signed in. What else there is to do
 * with a session stays with Better Auth.
 */
export const sessionReader = ({ auth, clock, db }: Pick<Deps, 'auth' | 'clock' | 'db'>) => {
  const findSession = prepareFindSession(db)
  return async (context: Context<HttpEnv>): Promise<SessionUser | null> => {
    const { authCookies, secret, sessionConfig } = await auth.$context
    const token = await getSignedCookie(context, secret, authCookies.sessionToken.name)
    if (!token) return null

    const now = clock()
    const found = await findSession(token)
    const sinceExtended = (expiresAt: Date) =>
      sessionConfig.expiresIn * 1000 - (expiresAt.getTime() - now.getTime())
    const settled = found && sinceExtended(found.expiresAt) < sessionConfig.updateAge * 1000
    return settled ? toSessionUser(found.user, now) : renewSession({ auth, clock }, context)
  }
}

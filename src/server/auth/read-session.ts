import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
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
export function sessionReader({ auth, clock, db }: Pick<Deps, 'auth' | 'clock' | 'db'>) {
  const findSession = prepareFindSession(db)
  return async (context: Context<HttpEnv>): Promise<SessionUser | null> => {
    const { authCookies, secret, sessionConfig } = await auth.$context
    const cookie = getCookie(context, authCookies.sessionToken.name)
    const token = cookie === undefined ? null : verifiedToken(cookie, secret)
    if (token === null) return null

    const now = clock()
    const found = await findSession(token)
    const sinceExtended = (expiresAt: Date) =>
      sessionConfig.expiresIn * 1000 - (expiresAt.getTime() - now.getTime())
    const settled = found && sinceExtended(found.expiresAt) < sessionConfig.updateAge * 1000
    return settled ? toSessionUser(found.user, now) : renewSession({ auth, clock }, context)
  }
}

/**
 * The token in a session's cookie, where the signature behind it is right (base64 of HMAC-SHA-256, as
 * Better Auth writes it). Reckoned on the spot: Web Crypto goes to the thread pool for it, behind the
 * disk's work, which took a tenth of the rate of small uploads.
 */
function verifiedToken(cookie: string, secret: string): string | null {
  const end = cookie.lastIndexOf('.')
  if (end === -1) return null
  const token = cookie.slice(0, end)
  const given = Buffer.from(cookie.slice(end + 1))
  const expected = Buffer.from(createHmac('sha256', secret).update(token).digest('base64'))
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
}

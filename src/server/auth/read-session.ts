import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { renewSession, type SessionUser, toSessionUser } from '../http/session.ts'
import { prepareFindSession } from './queries.ts'

/**
 * Makes the function that finds the user of a request's session cookie, or null. It needs no query
 * for a request without a session cookie, and one query with it.
 *
 * Nearly always a session is alive and need not be extended yet. One prepared query reads such a
 * session here, with Better Auth's own secret and cookie: Better Auth itself needs two queries and
 * seven times the processor time for every signed-in request. All else about a session stays with
 * Better Auth.
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
 * Returns the token in a session's cookie if its signature is right (base64 of HMAC-SHA-256, as
 * Better Auth writes it), or else null. The signature is computed synchronously: Web Crypto would
 * queue it in the thread pool behind the disk's work, which cost small uploads a tenth of their
 * rate.
 */
function verifiedToken(cookie: string, secret: string): string | null {
  const end = cookie.lastIndexOf('.')
  if (end === -1) return null
  const token = cookie.slice(0, end)
  const given = Buffer.from(cookie.slice(end + 1))
  const expected = Buffer.from(createHmac('sha256', secret).update(token).digest('base64'))
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
}

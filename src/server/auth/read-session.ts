import type { Context } from 'hono'
import { isSeenDue, sessionEnd } from '../../shared/rules/session-life.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { type Session, toSessionUser } from '../http/session.ts'
import { sessionUse } from './new-session.ts'
import { readSessionToken } from './session-cookie.ts'
import { noteSessionSeen, prepareFindSession } from './session-queries.ts'

/**
 * Makes the function that finds the session of a request by its cookie, or null where there is none
 * or it is over. It needs no query without a cookie, one query with it, and one more where the use
 * is noted, which prolongs the session: see `rules/session-life.ts`.
 *
 * It takes Better Auth's secret, cookie and rows, and not its call: that needs two queries and
 * seven times the processor time, extends a session for ever, and goes by the system's clock.
 *
 * An answer to a session that is over leaves the cookies alone. It may arrive behind the answer to
 * a new login, whose cookies it would remove.
 */
export function sessionReader(deps: Pick<Deps, 'auth' | 'clock' | 'config' | 'db'>) {
  const { clock, db } = deps
  const findSession = prepareFindSession(db)
  return async (context: Context<HttpEnv>): Promise<Session | null> => {
    const token = await readSessionToken(deps, context)
    if (token === null) return null
    const found = await findSession(token)
    const now = clock()
    if (!found || now >= found.expiresAt) return null
    if (isSeenDue(found.lastSeenAt, now)) {
      await noteSessionSeen(db, found, {
        lastSeenAt: now,
        expiresAt: sessionEnd({ createdAt: found.createdAt, lastSeenAt: now }),
        ...sessionUse(context.req.raw.headers, context.var.clientAddress),
      })
    }
    return { id: found.id, user: toSessionUser(found.user, now) }
  }
}

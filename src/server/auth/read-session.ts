import type { Context } from 'hono'
import { isSeenDue, sessionEnd } from '../../shared/rules/accounts/session-life.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { type Session, toSessionUser } from '../http/session.ts'
import { sessionUse } from './new-session.ts'
import { readSessionToken } from './session-cookie.ts'
import { noteSessionSeen, prepareFindSession } from './session-queries.ts'

/**
 * Makes the function that finds the session of a request by its cookie. It returns null if there is
 * no session, or the session has expired. A request without the cookie needs no query, and one with
 * it needs one. From time to time another query records that the session is used, which prolongs it
 * (see `rules/session-life.ts`). With `isPolled` nothing is recorded: an open page makes such
 * requests with nobody in front of it.
 *
 * This code reads Better Auth's cookie and rows itself. Better Auth's own call needs two queries
 * and seven times the processor time. It would prolong a session forever, and it uses the system's
 * clock.
 *
 * If a session has expired, the answer does not remove its cookies. It may arrive after the answer
 * to a new login, and would then remove the new cookies.
 */
export function sessionReader(deps: Pick<Deps, 'auth' | 'clock' | 'config' | 'db'>) {
  const { clock, db } = deps
  const findSession = prepareFindSession(db)
  return async (
    context: Context<HttpEnv>,
    { isPolled = false }: { isPolled?: boolean } = {},
  ): Promise<Session | null> => {
    const token = await readSessionToken(deps, context)
    if (token === null) return null
    const found = await findSession(token)
    const now = clock()
    if (!found || now >= found.expiresAt) return null
    if (!isPolled && isSeenDue(found.lastSeenAt, now)) {
      const seen = {
        lastSeenAt: now,
        expiresAt: sessionEnd({ createdAt: found.createdAt, lastSeenAt: now }),
        ...sessionUse(context.req.raw.headers, context.get('clientAddress')),
      }
      // On a full disk, people must still be able to see their files and delete some. So the
      // session is valid even if its use cannot be recorded.
      await noteSessionSeen(db, found, seen).catch((error: unknown) =>
        context.get('requestLog')().warn({ err: error }, 'the use of a session could not be noted'),
      )
    }
    return { id: found.id, user: toSessionUser(found.user, now) }
  }
}

import type { Context } from 'hono'
import { isSeenDue } from '../../shared/rules/accounts/session-life.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { type Session, toSessionUser } from '../http/session.ts'
import { readSessionToken } from './cookies.ts'
import { prepareFindSession, recordSessionUse, sessionUse } from './session-queries.ts'

/**
 * Makes the function that finds the session of a request, in one query. Now and then it records the
 * use, which extends the session (`rules/session-life.ts`). With `isPolled` it records nothing: an
 * open page makes such requests with nobody in front of it.
 *
 * An expired session's cookies aren't removed: this answer may arrive after that of a new login.
 */
export function sessionReader(deps: Pick<Deps, 'clock' | 'config' | 'db' | 'secret'>) {
  const { clock, db } = deps
  const findSession = prepareFindSession(db)
  return async (
    context: Context<HttpEnv>,
    { isPolled = false }: { isPolled?: boolean } = {},
  ): Promise<Session | null> => {
    const token = readSessionToken(deps, context)
    if (token === null) return null
    const found = await findSession(token)
    const now = clock()
    if (!found || now >= found.expiresAt) return null
    if (!isPolled && isSeenDue(found.lastSeenAt, now)) {
      const use = sessionUse(context.req.raw.headers, context.get('clientAddress'))
      // On a full disk, people must still be able to delete files. So the session stays valid.
      await recordSessionUse(db, found, use, now).catch((error: unknown) =>
        context.get('requestLog')().warn({ err: error }, 'the use of a session was not recorded'),
      )
    }
    return { id: found.id, user: toSessionUser(found.user, now) }
  }
}

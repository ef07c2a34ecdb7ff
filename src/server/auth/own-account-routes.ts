import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { countStoredFiles } from '../files/queries.ts'
import type { Handlers } from '../http/mount.ts'
import { publicUser } from '../http/session.ts'
import { browserName } from './browser-name.ts'
import { changePassword } from './change-password.ts'
import { clearSessionCookies, setSessionCookies } from './cookies.ts'
import { rememberBrowser } from './known-browser.ts'
import { logPasswordErrors } from './login-limits.ts'
import { renameUser } from './queries.ts'
import { endOtherSessions, endOwnSession, listSessions } from './sessions.ts'

type OwnAccountDeps = Pick<
  Deps,
  'clock' | 'config' | 'db' | 'mailQueue' | 'passwords' | 'rateLimits' | 'secret'
>

/** The endpoints for a user's own account: name, password, sessions. */
export function ownAccountRoutes(deps: OwnAccountDeps) {
  const { clock, db } = deps
  return {
    async updateUser({ body, user }) {
      const names = await renameUser(db, user.id, body, clock())
      if (!names) throw new AppError('UNAUTHORIZED')
      return publicUser({ ...user, ...names })
    },

    changePassword: (call) =>
      logPasswordErrors(call, async () => {
        const { body, user, sessionId, context } = call
        const cookieData = await changePassword(deps, { userId: user.id, sessionId }, body, call)
        setSessionCookies(deps, context, cookieData)
        rememberBrowser(deps, context, cookieData.passwordHash, cookieData.knownBrowser)
        return { message: 'Password changed. All other sessions are signed out.' }
      }),

    holdings: ({ user }) => countStoredFiles(db, user.id, clock()),

    async listSessions({ user, sessionId }) {
      const sessions = await listSessions(db, { userId: user.id, sessionId }, clock())
      return sessions.map((session) => ({
        ...session,
        browser: browserName(session.userAgent),
        isCurrent: session.id === sessionId,
      }))
    },

    async endSession({ params, user, sessionId, context }) {
      const hasEnded = await endOwnSession(db, { userId: user.id, sessionId: params.id })
      if (!hasEnded) throw new AppError('SESSION_NOT_FOUND')
      if (params.id === sessionId) clearSessionCookies(deps, context)
      return { message: 'Signed out there.' }
    },

    async endOtherSessions({ user, sessionId }) {
      await endOtherSessions(db, { userId: user.id, sessionId })
      return { message: 'Signed out everywhere else.' }
    },
  } satisfies Partial<Handlers>
}

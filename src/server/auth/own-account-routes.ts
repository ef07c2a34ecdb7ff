import type { SessionView } from '../../shared/contract/own-account.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { countHoldings } from '../files/queries.ts'
import type { Handlers } from '../http/mount.ts'
import { publicUser } from '../http/public-user.ts'
import { browserName } from './browser-name.ts'
import { changePassword } from './change-password.ts'
import { refusalHolder } from './hold-refusals.ts'
import { findKnownBrowser, knownBrowserValue, setKnownBrowser } from './known-browser.ts'
import { loggingRefusals } from './log-refusals.ts'
import { renameUser } from './queries.ts'
import { clearSessionCookies, setSessionCookies } from './session-cookie.ts'
import {
  endOtherSessions,
  endOwnSession,
  type ListedSession,
  listSessions,
} from './session-queries.ts'

type OwnAccountDeps = Pick<
  Deps,
  'auth' | 'clock' | 'config' | 'db' | 'mailQueue' | 'passwords' | 'rateLimits'
>

type OwnAccountHandlers = Handlers<
  'updateUser' | 'changePassword' | 'holdings' | 'listSessions' | 'endSession' | 'endOtherSessions'
>

/** The endpoints by which signed-in users change their own account: name, password, sessions. */
export function ownAccountRoutes(deps: OwnAccountDeps): OwnAccountHandlers {
  const holdingRefusals = refusalHolder(deps)
  const { changePassword, ...others } = handlers(deps)
  return {
    ...others,
    changePassword: (call) =>
      loggingRefusals(call, () => holdingRefusals(async () => changePassword(call))),
  }
}

function handlers(deps: OwnAccountDeps): OwnAccountHandlers {
  const { clock, db } = deps
  return {
    async updateUser({ body, user }) {
      const renamed = await renameUser(db, user.id, body, clock())
      if (!renamed) throw new AppError('UNAUTHORIZED')
      return publicUser({ ...user, ...renamed })
    },

    async changePassword({ body, user, sessionId, clientAddress, context }) {
      const knownBrowser = await findKnownBrowser(deps, context, user.email)
      const client = { address: clientAddress, knownBrowser }
      const session = await changePassword(deps, { userId: user.id, sessionId }, body, client)
      await setSessionCookies(deps, context, session)
      // The new password makes the cookie that proves a known browser invalid. Without a new one,
      // the browser only shares its count of wrong logins with others. So a failure here must not
      // hide that the password was changed.
      const known = await knownBrowserValue(deps, context, user.email, knownBrowser).catch(
        () => null,
      )
      if (known !== null) setKnownBrowser(deps, context, known)
      return { message: 'Password changed. All other sessions are signed out.' }
    },

    holdings: ({ user }) => countHoldings(db, user.id, clock()),

    async listSessions({ user, sessionId }) {
      const listed = await listSessions(db, { userId: user.id, sessionId }, clock())
      return listed.map((session) => sessionView(session, sessionId))
    },

    async endSession({ params, user, sessionId, context }) {
      const ended = await endOwnSession(db, { userId: user.id, sessionId: params.id })
      if (!ended) throw new AppError('SESSION_NOT_FOUND')
      if (params.id === sessionId) clearSessionCookies(deps, context)
      return { message: 'Signed out there.' }
    },

    async endOtherSessions({ user, sessionId }) {
      await endOtherSessions(db, { userId: user.id, sessionId })
      return { message: 'Signed out everywhere else.' }
    },
  }
}

/**
 * Returns a session as the contract describes it. Older rows have an empty text in place of null.
 */
function sessionView(session: ListedSession, currentId: string): SessionView {
  const { id, createdAt, lastSeenAt, userAgent, ipAddress } = session
  return {
    id,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    userAgent: userAgent || null,
    browser: browserName(userAgent),
    ipAddress: ipAddress || null,
    isCurrent: id === currentId,
  }
}

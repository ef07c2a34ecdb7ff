import { recentSignInMs } from '../../shared/rules/accounts/session-lifetime.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { type PasswordRequest, requirePassword } from '../auth/change-password.ts'
import { clearSessionCookies } from '../auth/cookies.ts'
import { logPasswordErrors } from '../auth/login-limits.ts'
import { findAccount } from '../auth/queries.ts'
import { findSignInTime, type OwnSession } from '../auth/sessions.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { Handlers } from '../http/mount.ts'
import { type DeletionDeps, deleteUser } from './delete-user.ts'

type OwnDeletionDeps = DeletionDeps & Pick<Deps, 'config' | 'passwords' | 'rateLimits' | 'secret'>

/** The endpoint by which users delete their own account. */
export function accountDeletionRoutes(deps: OwnDeletionDeps) {
  return {
    deleteAccount: (call) =>
      logPasswordErrors(call, async () => {
        const { body, user, sessionId, context } = call
        const session = { userId: user.id, sessionId }
        const { deletedFiles } = await deleteOwnAccount(deps, session, body.password, call)
        clearSessionCookies(deps, context)
        const message = `Your account and ${formatCount(deletedFiles, 'file')} have been deleted.`
        return { message, deletedFiles }
      }),
  } satisfies Partial<Handlers>
}

/**
 * Deletes a signed-in user's account after checking the password or, for an account without one,
 * that the user has just signed in with Google.
 * @throws {AppError} WRONG_PASSWORD, also if the password was changed concurrently; NO_PASSWORD;
 * SIGN_IN_AGAIN; INVALID_INPUT if the password is missing; UNAUTHORIZED if the session has ended;
 * ADMIN_STAYS; TOO_MANY_REQUESTS; PASSWORDS_BUSY
 */
async function deleteOwnAccount(
  deps: OwnDeletionDeps,
  session: OwnSession,
  password: string | undefined,
  request: PasswordRequest,
) {
  const { userId } = session
  const checkedPassword =
    password === undefined ? null : await requirePassword(deps, userId, password, request)
  const actor = { id: userId, ipAddress: request.clientAddress }
  return deleteUser(deps, userId, actor, async (tx) => {
    const signedInAt = await findSignInTime(tx, session)
    if (signedInAt === null) throw new AppError('UNAUTHORIZED')
    const account = await findAccount(tx, userId)
    if (account?.passwordHash !== (checkedPassword?.passwordHash ?? null)) {
      if (checkedPassword) throw new AppError('WRONG_PASSWORD')
      throw new AppError('INVALID_INPUT', { message: 'password: This account has a password.' })
    }
    const isRecent = deps.clock().getTime() - signedInAt.getTime() < recentSignInMs
    if (!checkedPassword && !isRecent) throw new AppError('SIGN_IN_AGAIN')
  })
}

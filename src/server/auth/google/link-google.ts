import { ownEntry, writeAudit } from '../../audit/audit-log.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { counter } from '../../http/rate-limit.ts'
import { lockAccount, markEmailVerified } from '../queries.ts'
import { endOtherSessions, hasSession, type OwnSession } from '../sessions.ts'
import { removePendingSignups } from '../signup-queries.ts'
import type { Identity } from './identity.ts'
import {
  deleteGoogleLink,
  findLinkedUser,
  insertGoogleLink,
  listSignInWays,
  lockSubject,
  setPicture,
} from './queries.ts'
import { SignInRejectedError } from './sign-in.ts'

/**
 * Links a Google account to a signed-in user's account. The email addresses may differ, but the
 * account's must be verified, here or by Google. Otherwise someone who registered with a stranger's
 * address could still sign in after the stranger has taken over the account. The owner is notified
 * by email.
 * @param address the client's IP address.
 * @throws {SignInRejectedError} google-signed-out, google-taken, google-second, google-unproven
 */
export async function linkGoogle(
  { clock, db, mailQueue }: Pick<Deps, 'clock' | 'db' | 'mailQueue'>,
  session: OwnSession,
  { subject, email, emailVerified, picture }: Identity,
  address: string,
): Promise<void> {
  const { userId } = session
  await db.transaction(async (tx) => {
    await lockSubject(tx, subject)
    const account = await lockAccount(tx, userId)
    // Password changes and unlinking end sessions under the same lock, so an ended session can't
    // link Google.
    if (!account || !(await hasSession(tx, session)))
      throw new SignInRejectedError('google-signed-out')
    const linkedUserId = await findLinkedUser(tx, subject)
    if (linkedUserId === userId) return
    if (linkedUserId !== null) throw new SignInRejectedError('google-taken')

    const hasSameVerifiedAddress = emailVerified && email === account.email
    if (!account.emailVerified && !hasSameVerifiedAddress)
      throw new SignInRejectedError('google-unproven')
    const now = clock()
    const isLinked = await insertGoogleLink(tx, { userId, subject, now })
    if (!isLinked) throw new SignInRejectedError('google-second')
    if (!account.emailVerified) {
      await markEmailVerified(tx, userId, now)
      await removePendingSignups(tx, account.email)
    }
    if (picture !== null) await setPicture(tx, userId, picture)
    await writeAudit(tx, [
      ownEntry({ userId, address, now }, { action: 'link-google', details: { by: 'session' } }),
    ])
    const linkedAt = now.toISOString()
    await mailQueue.add({ kind: 'google-linked', userId, linkedAt, tookOver: false }, tx)
  })
}

/**
 * Unlinks Google and removes the picture that came from it. Ends the account's other sessions,
 * because someone who must lose access may have opened them through Google. Holds the lock on the
 * account, so two parallel calls can't remove the last way to sign in.
 * @param address the client's IP address.
 * @throws {AppError} NOT_FOUND if Google isn't linked; LAST_WAY_IN; TOO_MANY_REQUESTS.
 */
export async function unlinkGoogle(
  { clock, db, rateLimits }: Pick<Deps, 'clock' | 'db' | 'rateLimits'>,
  session: OwnSession,
  address: string,
): Promise<void> {
  const { userId } = session
  // Rate-limited because each change adds an audit log entry, and entries are kept forever.
  await rateLimits.spend([counter('googleChangesByUser', userId)])
  await db.transaction(async (tx) => {
    await lockAccount(tx, userId)
    const signInWays = await listSignInWays(tx, userId)
    if (!signInWays.some(({ way }) => way === 'google')) {
      throw new AppError('NOT_FOUND', { message: 'Google is not linked to this account.' })
    }
    if (signInWays.length === 1) throw new AppError('LAST_WAY_IN')
    await deleteGoogleLink(tx, userId)
    await endOtherSessions(tx, session)
    await writeAudit(tx, [
      ownEntry({ userId, address, now: clock() }, { action: 'unlink-google', details: {} }),
    ])
  })
}

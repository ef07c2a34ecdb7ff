import { ownEntry, writeAudit } from '../../audit/audit-log.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { counter } from '../../http/rate-limit.ts'
import { lockAccount, markEmailVerified } from '../queries.ts'
import { endOtherSessions, hasSession, type OwnSession } from '../sessions.ts'
import { removePendingSignups } from '../signup-queries.ts'
import type { Identity } from './identity.ts'
import {
  deleteGoogle,
  findLinkedUser,
  insertGoogle,
  listWays,
  lockSubject,
  setPicture,
} from './queries.ts'
import { SignInRefused } from './sign-in.ts'

/**
 * Links Google with the account of a signed-in user, who has just proved to own the Google account.
 * The two addresses may differ. But the account's own address must be verified, or be the one that
 * Google has verified. Otherwise somebody who registered a stranger's address could still sign in
 * after the stranger has taken over the account. An email tells the owner.
 * @param address the client's address.
 * @throws {SignInRefused} google-signed-out, google-taken, google-second, google-unproven
 */
export async function linkGoogle(
  { clock, db, mailQueue }: Pick<Deps, 'clock' | 'db' | 'mailQueue'>,
  own: OwnSession,
  { subject, email, emailVerified, picture }: Identity,
  address: string,
): Promise<void> {
  const { userId } = own
  await db.transaction(async (tx) => {
    await lockSubject(tx, subject)
    const account = await lockAccount(tx, userId)
    // A new password and a removal of Google end sessions under the same lock. So somebody whose
    // session was ended can't link Google any more.
    if (!account || !(await hasSession(tx, own))) throw new SignInRefused('google-signed-out')
    const owner = await findLinkedUser(tx, subject)
    if (owner === userId) return
    if (owner !== null) throw new SignInRefused('google-taken')

    const provesAddress = emailVerified && email === account.email
    if (!account.emailVerified && !provesAddress) throw new SignInRefused('google-unproven')
    const now = clock()
    const isLinked = await insertGoogle(tx, { userId, subject, now })
    if (!isLinked) throw new SignInRefused('google-second')
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
 * Removes Google, and its picture, from an account. The account's other sessions end: somebody who
 * must no longer get in may have opened them with Google. The ways to sign in are counted under the
 * account's lock, so that two parallel removals can't take away the last one.
 * @param address the client's address.
 * @throws {AppError} NOT_FOUND where Google is not linked; LAST_WAY_IN; TOO_MANY_REQUESTS.
 */
export async function unlinkGoogle(
  { clock, db, rateLimits }: Pick<Deps, 'clock' | 'db' | 'rateLimits'>,
  own: OwnSession,
  address: string,
): Promise<void> {
  const { userId } = own
  // The audit log keeps every change forever, so changes are limited.
  await rateLimits.spend([counter('googleChangesByUser', userId)])
  await db.transaction(async (tx) => {
    await lockAccount(tx, userId)
    const ways = await listWays(tx, userId)
    if (!ways.some(({ way }) => way === 'google')) {
      throw new AppError('NOT_FOUND', { message: 'Google is not linked to this account.' })
    }
    if (ways.length === 1) throw new AppError('LAST_WAY_IN')
    await deleteGoogle(tx, userId)
    await endOtherSessions(tx, own)
    await writeAudit(tx, [
      ownEntry({ userId, address, now: clock() }, { action: 'unlink-google', details: {} }),
    ])
  })
}

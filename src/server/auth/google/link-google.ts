import { writeAudit } from '../../audit/audit-log.ts'
import type { Deps } from '../../deps.ts'
import { removePendingSignups } from '../address-owner-queries.ts'
import { lockCredentials, markEmailVerified } from '../queries.ts'
import { hasSession, type OwnSession } from '../session-queries.ts'
import type { Identity } from './identity.ts'
import { linkEntry } from './link-entry.ts'
import { findLinkedUser, insertGoogle, lockSubject, setPicture } from './queries.ts'
import { SignInRefused } from './refusal.ts'

/**
 * Adds Google to the account of a signed-in user, who has just proved to own the Google account.
 * The two addresses may differ. But the account's own address must be verified, or be the one that
 * Google has verified. Otherwise a person who registered a stranger's address could still sign in
 * with Google after the stranger has taken over the account. An email tells the owner.
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
    const account = await lockCredentials(tx, userId)
    // A person whose sessions were ended, for instance by a new password, must not add Google. A
    // change of the password, and a removal of Google, end sessions under the same lock. So each of
    // them either has finished, and this check sees it, or it runs after this transaction.
    if (!account || !(await hasSession(tx, own))) throw new SignInRefused('google-signed-out')
    const owner = await findLinkedUser(tx, subject)
    if (owner === userId) return
    if (owner !== null) throw new SignInRefused('google-taken')

    const provesAddress = emailVerified && email === account.email
    if (!account.emailVerified && !provesAddress) throw new SignInRefused('google-unproven')
    const now = clock()
    if (!(await insertGoogle(tx, { userId, subject, now })))
      throw new SignInRefused('google-second')
    if (!account.emailVerified) {
      await markEmailVerified(tx, userId, now)
      await removePendingSignups(tx, account.email)
    }
    if (picture !== null) await setPicture(tx, userId, picture)
    await writeAudit(tx, [linkEntry({ userId, address, now, by: 'session' })])
    const linkedAt = now.toISOString()
    await mailQueue.add({ kind: 'google-linked', userId, linkedAt, tookOver: false }, tx)
  })
}

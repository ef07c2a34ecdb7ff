import { ownEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import { deleteGoogleLink } from './google/queries.ts'
import { saltFor } from './password-hashing.ts'
import {
  consumeAccountToken,
  findAccount,
  findAccountToken,
  lockAccount,
  lockAddress,
  markEmailVerified,
  setPassword,
} from './queries.ts'
import { credentialStamp, tokenHash } from './secrets.ts'
import { endSessions } from './sessions.ts'
import { removePendingSignups } from './signup-queries.ts'

/**
 * Sets a new password with a token from an email (spec §7). The token works once. It proves access
 * to the mailbox, so the email address is verified as well. Ends all of the account's sessions and
 * notifies the owner by email. If the account had a password, Google is unlinked, because someone
 * who knew that password may have linked it.
 * @param address the client's IP address.
 * @throws {AppError} PASSWORDS_BUSY; TOKEN_INVALID for a token that is unknown, expired, used, or
 * older than the account's email address or password.
 */
export async function resetPassword(
  deps: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'passwords' | 'secret'>,
  { token, newPassword }: { token: string; newPassword: string },
  address: string,
): Promise<void> {
  const { clock, db, mailQueue, passwords, secret } = deps
  // Hashing is expensive, so check the token first.
  const owner = await findResetAccount(deps, token)
  if (owner === null) throw new AppError('TOKEN_INVALID')
  const salt = saltFor(secret, owner.email)
  const passwordHash = await passwords.hash(newPassword, salt, addressBlock(address))

  await db.transaction(async (tx) => {
    await lockAddress(tx, owner.email)
    const account = await lockAccount(tx, owner.id)
    const isUnchanged = account !== undefined && credentialStamp(account) === credentialStamp(owner)
    if (!isUnchanged || !(await consumeAccountToken(tx, tokenHash(token)))) {
      throw new AppError('TOKEN_INVALID')
    }
    const { id: userId } = account
    const now = clock()
    await setPassword(tx, userId, passwordHash, now)
    await endSessions(tx, userId)
    if (!account.emailVerified) {
      await markEmailVerified(tx, userId, now)
      await removePendingSignups(tx, account.email)
    }
    const hadPassword = account.passwordHash !== null
    const wasGoogleRemoved = hadPassword && (await deleteGoogleLink(tx, userId))
    await writeAudit(tx, [
      ownEntry({ userId, address, now }, { action: 'change-password', details: { by: 'email' } }),
      ...(wasGoogleRemoved
        ? [ownEntry({ userId, address, now }, { action: 'unlink-google', details: {} })]
        : []),
    ])
    const changedAt = now.toISOString()
    const change = { changedBy: 'email', removedGoogle: wasGoogleRemoved } as const
    await mailQueue.add({ kind: 'password-changed', userId, changedAt, ...change }, tx)
  })
}

/** Returns the account whose password a token can reset, or null. Doesn't consume the token. */
export async function findResetAccount({ clock, db }: Pick<Deps, 'clock' | 'db'>, token: string) {
  const storedToken = await findAccountToken(db, 'reset-password', tokenHash(token), clock())
  const owner = storedToken?.userId ? await findAccount(db, storedToken.userId) : undefined
  return owner && credentialStamp(owner) === storedToken?.stamp ? owner : null
}

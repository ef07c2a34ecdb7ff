import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/address-block.ts'
import { credentialStamp, tokenHash } from './account-token.ts'
import { lockAddress, removePendingSignups } from './address-owner-queries.ts'
import { unlinkEntry } from './google/link-entry.ts'
import { deleteGoogle } from './google/queries.ts'
import { passwordEntry } from './password-entry.ts'
import { saltForAddress } from './password-salt.ts'
import {
  consumeAccountToken,
  findAccountToken,
  findCredentials,
  lockCredentials,
  markEmailVerified,
  setPassword,
} from './queries.ts'
import { endSessions } from './session-queries.ts'

/**
 * Sets a new password by the token in the link of an email (spec §7). The token works once. Whoever
 * has it reads the account's mail. So the address counts as verified from then on, and waiting
 * signups for it are removed. Every session of the account ends, and an email tells the owner.
 * If the account had a password before, Google is removed from it, because somebody who knew that
 * password may have added it. An owner whose Google account has the same address adds it again by
 * signing in with Google.
 * @param address the client's address, for the audit log and for the queue of passwords to hash.
 * @throws {AppError} PASSWORDS_BUSY or UNAVAILABLE, as `Passwords.hash` does; TOKEN_INVALID for a
 * token that is unknown, expired or used, or that was made before the account's address or password
 * changed.
 */
export async function resetPassword(
  deps: Pick<Deps, 'auth' | 'clock' | 'db' | 'mailQueue' | 'passwords'>,
  { token, newPassword }: { token: string; newPassword: string },
  address: string,
): Promise<void> {
  const { clock, db, mailQueue, passwords } = deps
  // Hashing is expensive. So the token is looked up first.
  const valid = await findResetToken(deps, token)
  if (valid === null) throw new AppError('TOKEN_INVALID')
  const { found, owner } = valid
  const salt = await saltForAddress(deps, owner.email, owner.passwordHash)
  const client = addressBlock(address)
  const passwordHash = await passwords.forClient(client, () => passwords.hash(newPassword, salt))

  await db.transaction(async (tx) => {
    await lockAddress(tx, owner.email)
    const account = await lockCredentials(tx, owner.userId)
    const isOurs = account !== undefined && credentialStamp(account) === found.stamp
    if (!isOurs || !(await consumeAccountToken(tx, found.hash))) throw new AppError('TOKEN_INVALID')
    const now = clock()
    await setPassword(tx, account.userId, passwordHash, now)
    await endSessions(tx, account.userId)
    if (!account.emailVerified) {
      await markEmailVerified(tx, account.userId, now)
      await removePendingSignups(tx, account.email)
    }
    const { userId } = account
    const hadPassword = account.passwordHash !== null
    const removedGoogle = hadPassword && (await deleteGoogle(tx, userId))
    await writeAudit(tx, [
      passwordEntry({ userId, by: 'letter', address, now }),
      ...(removedGoogle ? [unlinkEntry({ userId, address, now })] : []),
    ])
    const changedAt = now.toISOString()
    const how = { changedBy: 'letter', removedGoogle } as const
    await mailQueue.add({ kind: 'password-changed', userId, changedAt, ...how }, tx)
  })
}

/**
 * Looks up the token of a letter and its account. The token can still be used afterwards. Returns
 * null for a token that is unknown, expired or used, or that was made before the account's address
 * or password changed.
 */
export async function findResetToken({ clock, db }: Pick<Deps, 'clock' | 'db'>, token: string) {
  const found = await findAccountToken(db, 'reset-password', tokenHash(token), clock())
  const owner = found?.userId ? await findCredentials(db, found.userId) : undefined
  if (!found || !owner || credentialStamp(owner) !== found.stamp) return null
  return { found, owner }
}

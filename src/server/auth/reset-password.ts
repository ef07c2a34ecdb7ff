import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { credentialStamp, tokenHash } from './account-token.ts'
import {
  consumeAccountToken,
  findAccountToken,
  lockCredentials,
  markEmailVerified,
  setPassword,
} from './queries.ts'
import { endSessions } from './session-queries.ts'

/**
 * Sets a new password by the token of a letter (spec §5, reset password). The token works once. It
 * proves that its owner reads the account's mail, so the address counts as verified. Every session
 * of the account ends, and a mail tells the owner.
 * @param client the client for whom the password is hashed.
 * @throws {AppError} PASSWORDS_BUSY; TOKEN_INVALID for a token that is unknown, expired, used, or
 * from before another change of the account.
 */
export async function resetPassword(
  deps: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'passwords'>,
  { token, newPassword }: { token: string; newPassword: string },
  client: string,
): Promise<void> {
  const { clock, db, mailQueue, passwords } = deps
  const hash = tokenHash(token)
  const found = await findAccountToken(db, 'reset-password', hash, clock())
  // Hashing is expensive, so it waits until the token is known to exist.
  if (!found) throw new AppError('TOKEN_INVALID')
  const passwordHash = await passwords.forClient(client, () => passwords.hash(newPassword))

  await db.transaction(async (tx) => {
    const account = await lockCredentials(tx, found.userId)
    const isOurs = account !== undefined && credentialStamp(account) === found.stamp
    if (!isOurs || !(await consumeAccountToken(tx, hash))) throw new AppError('TOKEN_INVALID')
    const now = clock()
    await setPassword(tx, account.userId, passwordHash, now)
    await markEmailVerified(tx, account.userId, now)
    await endSessions(tx, account.userId)
    const { userId } = account
    const changedAt = now.toISOString()
    const request = { kind: 'password-changed', userId, changedAt, changedBy: 'letter' } as const
    await mailQueue.add(request, tx)
  })
}

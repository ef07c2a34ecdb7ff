import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import { counter } from '../http/rate-limit.ts'
import { passwordEntry } from './audit-entry.ts'
import { saltOf } from './password-hashing.ts'
import { lockAccount, setPassword } from './queries.ts'
import { type PasswordCall, requirePassword } from './require-password.ts'
import { newToken } from './secrets.ts'
import { endOtherSessions, type OwnSession, replaceToken } from './session-queries.ts'

type ChangeDeps = Pick<
  Deps,
  'clock' | 'config' | 'db' | 'mailQueue' | 'passwords' | 'rateLimits' | 'secret'
>

/**
 * Changes the password of a signed-in user, who must know the current one. All other sessions end,
 * the caller's session gets another token, and links in earlier emails stop working. An email tells
 * the owner.
 * @returns what the caller's new cookies are made of.
 * @throws {AppError} WRONG_PASSWORD, also when the password was changed meanwhile; NO_PASSWORD;
 * UNAUTHORIZED when the session was ended meanwhile; TOO_MANY_REQUESTS; PASSWORDS_BUSY
 */
export async function changePassword(
  deps: ChangeDeps,
  own: OwnSession,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  call: PasswordCall,
) {
  const { clock, db, mailQueue, passwords, rateLimits } = deps
  const { userId } = own
  const { clientAddress: address } = call
  const current = await requirePassword(deps, userId, currentPassword, call)
  // The audit log keeps every change forever, so changes are limited.
  await rateLimits.spend([counter('passwordChangesByUser', userId)])
  const salt = saltOf(current.passwordHash)
  const passwordHash = await passwords.hash(newPassword, salt, addressBlock(address))
  const token = newToken()

  return db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    if (account?.passwordHash !== current.passwordHash) throw new AppError('WRONG_PASSWORD')
    const createdAt = await replaceToken(tx, own, token)
    if (createdAt === null) throw new AppError('UNAUTHORIZED')
    await endOtherSessions(tx, own)
    const now = clock()
    await setPassword(tx, userId, passwordHash, now)
    await writeAudit(tx, [passwordEntry({ userId, by: 'session', address, now })])
    const changedAt = now.toISOString()
    const how = { changedBy: 'session', removedGoogle: false } as const
    await mailQueue.add({ kind: 'password-changed', userId, changedAt, ...how }, tx)
    return { token, createdAt, passwordHash, knownBrowser: current.knownBrowser }
  })
}

import { nanoid } from 'nanoid'
import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/address-block.ts'
import { counter } from '../http/rate-limit.ts'
import { passwordEntry } from './password-entry.ts'
import { saltOf } from './password-salt.ts'
import { lockCredentials, setPassword } from './queries.ts'
import { type PasswordClient, requirePassword } from './require-password.ts'
import { endOtherSessions, type OwnSession, replaceToken } from './session-queries.ts'

type ChangeDeps = Pick<Deps, 'auth' | 'clock' | 'db' | 'mailQueue' | 'passwords' | 'rateLimits'>

/**
 * Changes the password of a signed-in user, who must know the current one: the session may be open
 * on a machine that somebody else uses. Wrong passwords are counted together with those of logins.
 * All other sessions end, and the caller's session gets another token. Links in earlier emails stop
 * working. An email tells the owner.
 * @returns what the caller's new cookie is made of.
 * @throws {AppError} WRONG_PASSWORD, also when the password was changed meanwhile; NO_PASSWORD;
 * UNAUTHORIZED when the caller's session was ended meanwhile; TOO_MANY_REQUESTS; PASSWORDS_BUSY or
 * UNAVAILABLE, as `Passwords.hash` does.
 */
export async function changePassword(
  deps: ChangeDeps,
  own: OwnSession,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  client: PasswordClient,
): Promise<{ token: string; createdAt: Date }> {
  const { clock, db, mailQueue, passwords, rateLimits } = deps
  const { userId } = own
  const comparedWith = await requirePassword(deps, userId, currentPassword, client)
  // The audit log keeps every change forever. So the number of changes must be limited.
  await rateLimits.spend([counter('passwordChangesByUser', userId)])
  const block = addressBlock(client.address)
  const salt = saltOf(comparedWith)
  const passwordHash = await passwords.forClient(block, () => passwords.hash(newPassword, salt))
  const token = nanoid(32)

  return db.transaction(async (tx) => {
    const account = await lockCredentials(tx, userId)
    if (account?.passwordHash !== comparedWith) throw new AppError('WRONG_PASSWORD')
    const createdAt = await replaceToken(tx, own, token)
    if (createdAt === null) throw new AppError('UNAUTHORIZED')
    await endOtherSessions(tx, own)
    const now = clock()
    await setPassword(tx, userId, passwordHash, now)
    await writeAudit(tx, [passwordEntry({ userId, by: 'session', address: client.address, now })])
    const changedAt = now.toISOString()
    const how = { changedBy: 'session', removedGoogle: false } as const
    const request = { kind: 'password-changed', userId, changedAt, ...how } as const
    await mailQueue.add(request, tx)
    return { token, createdAt }
  })
}

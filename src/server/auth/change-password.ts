import type { Context } from 'hono'
import { ownEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import type { HttpEnv } from '../http/env.ts'
import { counter } from '../http/rate-limit.ts'
import { findKnownBrowser } from './known-browser.ts'
import { admitAttempt, hashAccountEmail } from './login-limits.ts'
import { getSalt } from './password-hashing.ts'
import { findAccount, lockAccount, setPassword } from './queries.ts'
import { isSameText, newToken } from './secrets.ts'
import { endOtherSessions, type OwnSession, replaceToken } from './sessions.ts'

type ChangeDeps = Pick<
  Deps,
  'clock' | 'config' | 'db' | 'mailQueue' | 'passwords' | 'rateLimits' | 'secret'
>

/**
 * Changes a signed-in user's password after checking the current one. Ends all other sessions,
 * rotates the caller's session token and invalidates links in earlier emails. The owner is notified
 * by email.
 * @returns the data for the caller's new cookies.
 * @throws {AppError} WRONG_PASSWORD, also if the password was changed concurrently; NO_PASSWORD;
 * UNAUTHORIZED if the session has ended; TOO_MANY_REQUESTS; PASSWORDS_BUSY
 */
export async function changePassword(
  deps: ChangeDeps,
  session: OwnSession,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  request: PasswordRequest,
) {
  const { clock, db, mailQueue, passwords, rateLimits } = deps
  const { userId } = session
  const { clientAddress: address } = request
  const currentCredentials = await requirePassword(deps, userId, currentPassword, request)
  // Rate-limited because each change adds an audit log entry, and entries are kept forever.
  await rateLimits.spend([counter('passwordChangesByUser', userId)])
  const salt = getSalt(currentCredentials.passwordHash)
  const passwordHash = await passwords.hash(newPassword, salt, addressBlock(address))
  const token = newToken()

  return db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    if (account?.passwordHash !== currentCredentials.passwordHash)
      throw new AppError('WRONG_PASSWORD')
    const createdAt = await replaceToken(tx, session, token)
    if (createdAt === null) throw new AppError('UNAUTHORIZED')
    await endOtherSessions(tx, session)
    const now = clock()
    await setPassword(tx, userId, passwordHash, now)
    await writeAudit(tx, [
      ownEntry({ userId, address, now }, { action: 'change-password', details: { by: 'session' } }),
    ])
    const changedAt = now.toISOString()
    const change = { changedBy: 'session', removedGoogle: false } as const
    await mailQueue.add({ kind: 'password-changed', userId, changedAt, ...change }, tx)
    return { token, createdAt, passwordHash, knownBrowser: currentCredentials.knownBrowser }
  })
}

type PasswordDeps = Pick<Deps, 'config' | 'db' | 'passwords' | 'rateLimits' | 'secret'>

export interface PasswordRequest {
  clientAddress: string
  context: Context<HttpEnv>
}

/**
 * Checks a signed-in user's current password, in case someone else is using their unlocked
 * computer. A wrong password counts as a failed login.
 * @returns the stored hash, and the browser's id if it has signed in to the account before.
 * @throws {AppError} WRONG_PASSWORD; NO_PASSWORD; UNAUTHORIZED for a deleted user;
 * TOO_MANY_REQUESTS; PASSWORDS_BUSY
 */
export async function requirePassword(
  deps: PasswordDeps,
  userId: string,
  password: string,
  { clientAddress, context }: PasswordRequest,
): Promise<{ passwordHash: string; knownBrowser: string | null }> {
  const account = await findAccount(deps.db, userId)
  if (!account) throw new AppError('UNAUTHORIZED')
  const { email, passwordHash } = account
  if (passwordHash === null) throw new AppError('NO_PASSWORD')
  const address = addressBlock(clientAddress)
  const knownBrowser = findKnownBrowser(deps, context, passwordHash)
  const accountHash = hashAccountEmail(deps.secret, email)
  const admission = await admitAttempt(deps, { accountHash, address, knownBrowser })
  const hash = await deps.passwords
    .hash(password, getSalt(passwordHash), address)
    .catch(async (error: unknown) => {
      // If the refund fails, the attempt keeps counting until its rate limit window ends.
      await admission.undo().catch(() => {})
      throw error
    })
  if (!isSameText(hash, passwordHash)) throw new AppError('WRONG_PASSWORD')
  await admission.succeed()
  return { passwordHash, knownBrowser }
}

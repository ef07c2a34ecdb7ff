import { ownEntry, writeAudit } from '../audit/audit-log.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import {
  type AccountOwner,
  findAccountByEmail,
  handOverUser,
  insertUser,
  lockAccount,
  lockAddress,
  markEmailVerified,
  setPassword,
} from './queries.ts'
import { credentialStamp, tokenHash } from './secrets.ts'
import { endSessions } from './sessions.ts'
import { requireSignupAllowed } from './sign-up.ts'
import {
  findVerification,
  moveTokens,
  type PendingSignup,
  removeOtherTokens,
  removePendingSignups,
} from './signup-queries.ts'

type VerifyDeps = Pick<Deps, 'clock' | 'config' | 'db'>

/**
 * Verifies an email address with a token from an email (spec §4, 'An account'). A signup's token
 * creates an account with the name and the password of that signup. The first token used wins: it
 * removes all other signups for the address, and the account's older sessions and tokens. If the
 * account is already verified, a valid token succeeds and changes nothing.
 * @param address the client's IP address, for the audit log.
 * @throws {AppError} TOKEN_INVALID if the token is unknown or expired, its signup was removed, or
 * its account has changed its email address or password; SIGNUP_NOT_ALLOWED if the settings no
 * longer allow the signup.
 */
export async function verifyEmail(deps: VerifyDeps, token: string, address: string): Promise<void> {
  const { clock, db } = deps
  const hash = tokenHash(token)
  const verificationBeforeLock = await findVerification(db, hash, clock())
  if (!verificationBeforeLock) throw new AppError('TOKEN_INVALID')
  await db.transaction(async (tx) => {
    await lockAddress(tx, verificationBeforeLock.email)
    // Another token for the address may have been used while this call waited for the lock.
    const verification = await findVerification(tx, hash, clock())
    const { signup, stamp, userId } = verification ?? {}
    if (signup) await createAccount(deps, tx, signup, address)
    else if (userId && stamp) await verifyAccount(deps, tx, { userId, stamp })
    else throw new AppError('TOKEN_INVALID')
  })
}

/**
 * True if a token belongs to this browser's signup or account, or the email address is already
 * verified. In that case, opening the link is enough. In any other browser, the user must press a
 * button, because mail scanners open links too.
 * @param browserSignupId the id in the browser's cookie, or null.
 * @throws {AppError} TOKEN_INVALID
 */
export async function isOwnSignup(
  { clock, db }: VerifyDeps,
  token: string,
  browserSignupId: string | null,
): Promise<boolean> {
  const verification = await findVerification(db, tokenHash(token), clock())
  if (!verification) throw new AppError('TOKEN_INVALID')
  return (
    verification.isVerified || (verification.signup?.id ?? verification.userId) === browserSignupId
  )
}

async function createAccount(
  { clock, config }: VerifyDeps,
  tx: Db,
  signup: PendingSignup,
  address: string,
): Promise<void> {
  const { email, firstName, lastName } = signup
  // The settings may have changed since the signup.
  requireSignupAllowed(config.signup, email)
  if (email === config.adminEmail) throw new AppError('TOKEN_INVALID')
  const now = clock()
  const owner = { email, firstName, lastName, picture: null }
  const newUserId = await insertUser(tx, owner, { emailVerified: true, now })
  const userId = newUserId ?? (await takeOverAccount(tx, owner, { address, now }))
  await setPassword(tx, userId, signup.passwordHash, now)
  await moveTokens(tx, signup.id, userId)
  await removePendingSignups(tx, email)
}

async function takeOverAccount(
  tx: Db,
  owner: AccountOwner,
  { address, now }: { address: string; now: Date },
): Promise<string> {
  const accountBeforeLock = await findAccountByEmail(tx, owner.email)
  const account = accountBeforeLock && (await lockAccount(tx, accountBeforeLock.id))
  if (!account || account.emailVerified) throw new AppError('TOKEN_INVALID')
  await handOverUser(tx, account.id, owner, now)
  await writeAudit(tx, [
    ownEntry(
      { userId: account.id, address, now },
      { action: 'change-password', details: { by: 'taking-over' } },
    ),
  ])
  return account.id
}

async function verifyAccount(
  { clock }: VerifyDeps,
  tx: Db,
  { userId, stamp }: { userId: string; stamp: string },
): Promise<void> {
  const account = await lockAccount(tx, userId)
  if (!account || credentialStamp(account) !== stamp) throw new AppError('TOKEN_INVALID')
  if (account.emailVerified) return
  await markEmailVerified(tx, userId, clock())
  await endSessions(tx, userId)
  await removeOtherTokens(tx, userId)
  await removePendingSignups(tx, account.email)
}

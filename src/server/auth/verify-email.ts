import { writeAudit } from '../audit/audit-log.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { credentialStamp, tokenHash } from './account-token.ts'
import {
  type AddressOwner,
  handOverUser,
  insertVerifiedUser,
  lockAddress,
  removePendingSignups,
} from './address-owner-queries.ts'
import { passwordEntry } from './password-entry.ts'
import {
  findCredentialsByEmail,
  lockCredentials,
  markEmailVerified,
  setPassword,
} from './queries.ts'
import { requireSignupAllowed } from './require-signup-allowed.ts'
import { endSessions } from './session-queries.ts'
import {
  findVerification,
  moveTokens,
  type PendingSignup,
  removeOtherTokens,
} from './signup-queries.ts'

type VerifyDeps = Pick<Deps, 'clock' | 'config' | 'db'>

/**
 * Verifies an address by the token in the link of an email (spec §4, 'An account'). The token of a
 * signup makes an account with exactly the name and the password of that signup. Of several tokens
 * for one address, the first one that is used decides: the other signups are removed, and older
 * sessions of the account and its tokens for a new password stop working. If the account is
 * verified already, a token that is still valid succeeds and changes nothing.
 * @param address the client's address, for the audit log.
 * @throws {AppError} TOKEN_INVALID for a token that is unknown or expired, whose signup was removed
 * because the address was verified in another way, or whose account has another address or password
 * by now; SIGNUP_NOT_ALLOWED if the settings no longer allow a signup with this address.
 */
export async function verifyEmail(deps: VerifyDeps, token: string, address: string): Promise<void> {
  const { clock, db } = deps
  const hash = tokenHash(token)
  const found = await findVerification(db, hash, clock())
  if (!found) throw new AppError('TOKEN_INVALID')
  await db.transaction(async (tx) => {
    await lockAddress(tx, found.email)
    // While this request waited for the lock, another token of the address may have been used.
    const verification = await findVerification(tx, hash, clock())
    const { signup, stamp, userId } = verification ?? {}
    if (signup) await makeAccount(deps, tx, signup, address)
    else if (userId && stamp) await verifyAccount(deps, tx, { userId, stamp })
    else throw new AppError('TOKEN_INVALID')
  })
}

async function makeAccount(
  { clock, config }: VerifyDeps,
  tx: Db,
  signup: PendingSignup,
  address: string,
): Promise<void> {
  const { email } = signup
  // The operator may have changed the settings since the signup.
  requireSignupAllowed(config.signup, email)
  if (email === config.adminEmail) throw new AppError('TOKEN_INVALID')
  const now = clock()
  const { firstName, lastName } = signup
  const owner = { email, firstName, lastName, picture: null }
  const made = await insertVerifiedUser(tx, owner, now)
  const userId = made ?? (await takeOver(tx, owner, { address, now }))
  await setPassword(tx, userId, signup.passwordHash, now)
  await moveTokens(tx, signup.id, userId)
  await removePendingSignups(tx, email)
}

/**
 * Gives an existing account with this address to the owner of the address. The person who made the
 * account has never proved that they read mail to this address. The files stay, because both may be
 * the same person. The change is recorded in the audit log.
 */
async function takeOver(
  tx: Db,
  owner: AddressOwner,
  { address, now }: { address: string; now: Date },
): Promise<string> {
  const found = await findCredentialsByEmail(tx, owner.email)
  const account = found && (await lockCredentials(tx, found.userId))
  if (!account || account.emailVerified) throw new AppError('TOKEN_INVALID')
  const { userId } = account
  await handOverUser(tx, userId, owner, now)
  await writeAudit(tx, [passwordEntry({ userId, by: 'taking-over', address, now })])
  return userId
}

async function verifyAccount(
  { clock }: VerifyDeps,
  tx: Db,
  { userId, stamp }: { userId: string; stamp: string },
): Promise<void> {
  const account = await lockCredentials(tx, userId)
  if (!account || credentialStamp(account) !== stamp) throw new AppError('TOKEN_INVALID')
  if (account.emailVerified) return
  await markEmailVerified(tx, userId, clock())
  await endSessions(tx, userId)
  await removeOtherTokens(tx, userId)
  await removePendingSignups(tx, account.email)
}

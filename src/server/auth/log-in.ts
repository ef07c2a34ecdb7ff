import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import { admitAttempt, hashAccountEmail } from './login-limits.ts'
import { getSalt, saltFor } from './password-hashing.ts'
import { type Account, findAccountByEmail, lockAccount } from './queries.ts'
import { isSameText } from './secrets.ts'
import { openSession, type SessionClient } from './sessions.ts'
import { findPendingPasswords } from './signup-queries.ts'

type LoginDeps = Pick<Deps, 'clock' | 'config' | 'db' | 'passwords' | 'rateLimits' | 'secret'>

interface LoginClient {
  address: string
  sessionClient: SessionClient
  /**
   * Returns the browser's id if the browser has signed in to the account with this password hash
   * before, otherwise null.
   */
  knownBrowser: (passwordHash: string | null) => string | null
  /** The token of the browser's previous session, or null. */
  previousToken: string | null
}

/** A login with the right password but an unverified email address. */
interface UnverifiedLogin {
  /** The id of the pending signup or of the account. */
  unverified: string
}

interface OpenedSession {
  /** The session token. It belongs only in the cookie, because anyone who has it is signed in. */
  token: string
  createdAt: Date
  user: SessionUser
  passwordHash: string
  knownBrowser: string | null
}

/**
 * Opens a session and ends the browser's previous one.
 *
 * Every login runs the same queries and computes one hash, so that timing doesn't reveal whether an
 * account exists. One hash is enough because an account and the pending signups for its email
 * address share a salt.
 * @returns the session, or `unverified` if the password was right but the email address must be
 * verified.
 * @throws {AppError} INVALID_CREDENTIALS, whether the email address is unknown or the password is
 * wrong; TOO_MANY_REQUESTS; PASSWORDS_BUSY
 */
export async function logIn(
  deps: LoginDeps,
  credentials: { email: string; password: string },
  client: LoginClient,
): Promise<OpenedSession | UnverifiedLogin> {
  const { clock, config, db, passwords, secret } = deps
  const email = credentials.email.toLowerCase()
  const account = await findAccountByEmail(db, email)
  const pendingPasswords = await findPendingPasswords(db, email, clock())
  const storedHash = account?.passwordHash ?? null
  const knownBrowser = client.knownBrowser(storedHash)
  const address = addressBlock(client.address)
  const admission = await admitAttempt(deps, {
    accountHash: hashAccountEmail(secret, email),
    address,
    knownBrowser,
  })
  try {
    const salt = storedHash === null ? saltFor(secret, email) : getSalt(storedHash)
    const hash = await passwords.hash(credentials.password, salt, address)
    if (account && storedHash !== null && isSameText(hash, storedHash)) {
      const isUnverified = config.requireEmailVerification && !account.emailVerified
      const loginResult = isUnverified
        ? { unverified: account.id }
        : await openAccountSession(deps, account, client)
      await admission.succeed()
      return 'token' in loginResult
        ? { ...loginResult, passwordHash: storedHash, knownBrowser }
        : loginResult
    }
    // A login with a pending signup's password counts as a failed attempt. Otherwise anyone could
    // sign up with a stranger's address to reset the count of guesses at the stranger's password.
    const signup = pendingPasswords.find(({ passwordHash }) => isSameText(hash, passwordHash))
    if (signup) return { unverified: signup.id }
    throw new AppError('INVALID_CREDENTIALS')
  } catch (error) {
    const isWrongPassword = error instanceof AppError && error.code === 'INVALID_CREDENTIALS'
    // If the refund fails, the attempt keeps counting until its rate limit window ends.
    if (!isWrongPassword) await admission.undo().catch(() => {})
    throw error
  }
}

/**
 * Opens a session unless the password has just changed. A password reset ends only the sessions
 * that exist at that time, so this checks the stored hash again under the lock that resets use.
 */
function openAccountSession(
  { clock, db }: LoginDeps,
  comparedAccount: Account,
  { sessionClient, previousToken }: LoginClient,
) {
  return db.transaction(async (tx) => {
    const account = await lockAccount(tx, comparedAccount.id)
    if (account?.passwordHash !== comparedAccount.passwordHash)
      throw new AppError('INVALID_CREDENTIALS')
    const now = clock()
    const session = await openSession(tx, { userId: account.id, sessionClient, now }, previousToken)
    return { ...session, user: toSessionUser(account, now) }
  })
}

import { APIError } from 'better-auth/api'
import { isUserGone } from '../db/user-gone.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/address-block.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import type { AuthUser } from './auth.ts'
import { accountName } from './known-browser.ts'
import { type Admission, admitTry } from './login-limits.ts'
import { sessionHeaders } from './new-session.ts'
import { saltForAddress, saltOf } from './password-salt.ts'
import { lockCredentials } from './queries.ts'
import { endSession } from './session-queries.ts'
import { findKnownPasswords, type KnownPasswords } from './signup-queries.ts'

type LoginDeps = Pick<Deps, 'auth' | 'clock' | 'db' | 'passwords' | 'rateLimits'>

interface Credentials {
  email: string
  password: string
}

interface LoginClient {
  address: string
  headers: Headers
  /** The id of a browser that has signed in to this account before; null for any other browser. */
  knownBrowser: string | null
  /** The token of the session that the browser had before this login. null: it had none. */
  sessionBefore: string | null
}

/** The password was right, but nobody has verified the address yet. */
interface Unverified {
  /** The id of the waiting signup or of the account. */
  unverified: string
}

/** A session that was just opened. */
interface OpenedSession {
  /** Use this only for the cookie. Anybody who has it is signed in. */
  token: string
  createdAt: Date
  user: SessionUser
}

/**
 * Opens a session. It ends the session that the browser had before, because somebody may have
 * copied that session's cookie. login-limits.ts limits how often a login may be tried, also for an
 * account that does not exist. If the password changes while it is compared, the login counts as
 * wrong.
 *
 * Every login computes exactly one hash, whatever it finds: the account's password, and those of
 * waiting signups for the same address, have the same salt.
 * @returns the session; `unverified` if the password was right, but nobody has verified the
 * address.
 * @throws {AppError} INVALID_CREDENTIALS, the same for an unknown address and a wrong password;
 * TOO_MANY_REQUESTS; PASSWORDS_BUSY or UNAVAILABLE, as `Passwords.hash` does.
 */
export async function logIn(
  deps: LoginDeps,
  { email, password }: Credentials,
  { address, headers, knownBrowser, sessionBefore }: LoginClient,
): Promise<OpenedSession | Unverified> {
  const { clock, db, passwords } = deps
  const account = await accountName(deps, email)
  const block = addressBlock(address)
  const admission = await admitTry(deps, { account, address: block, knownBrowser })
  const known = await findKnownPasswords(db, email.toLowerCase(), clock())
  const comparedWith = known.account?.passwordHash ?? null
  const salt = await saltForAddress(deps, email.toLowerCase(), comparedWith)
  const login = { email, password, salt, headers: sessionHeaders(headers, address) }
  const found = await passwords
    .hashedFirst(block, { password, salt }, () => compare(deps, login, known))
    .catch((error: unknown) => refuse(error, admission))
  if ('unverified' in found) {
    if (found.isAccount) await admission.right()
    return { unverified: found.unverified }
  }
  const { token } = found
  const user = toSessionUser(found.user as AuthUser, clock())
  const session = { token, userId: user.id, comparedWith }
  if (!(await keepOneSession(db, session, sessionBefore))) throw new AppError('INVALID_CREDENTIALS')
  await admission.right()
  return { token, createdAt: clock(), user }
}

/**
 * Signs in by Better Auth if the account has this password, or finds the waiting signup that has
 * it. Better Auth is asked only then, because it reads more from the database for a known address
 * than for an unknown one, and that takes time. A login with the password of a waiting signup stays
 * counted as wrong. Otherwise somebody could sign up with a stranger's address, and then use that
 * login to reset the count of wrong passwords for the stranger's account.
 * @throws {APIError} when nothing has this password.
 */
async function compare(
  { auth, passwords }: LoginDeps,
  { email, password, salt, headers }: Credentials & { salt: string; headers: Headers },
  { account, waiting }: KnownPasswords,
) {
  const isRight = async (hash: string) =>
    saltOf(hash) === salt && (await passwords.verify({ hash, password }))
  if (account && (await isRight(account.passwordHash))) {
    try {
      return await auth.api.signInEmail({ body: { email, password }, headers })
    } catch (error) {
      if (statusOf(error) !== 403) throw error
      return { unverified: account.userId, isAccount: true }
    }
  }
  for (const { signupId, passwordHash } of waiting) {
    if (await isRight(passwordHash)) return { unverified: signupId, isAccount: false }
  }
  throw new APIError('UNAUTHORIZED')
}

function statusOf(error: unknown): number {
  return error instanceof APIError ? error.statusCode : 500
}

/**
 * Keeps one of two sessions. Ends the new one if the password was changed while it was compared.
 * Comparing takes a while, and a reset ends only the sessions that exist already. With the lock
 * there are two cases: the reset is done and this check sees it, or the reset comes later and ends
 * this session too. If the new session stays open, `sessionBefore` is ended instead.
 * @returns whether the new session stays open.
 */
function keepOneSession(
  db: Db,
  session: { token: string; userId: string; comparedWith: string | null },
  sessionBefore: string | null,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const account = await lockCredentials(tx, session.userId)
    const stays = account !== undefined && account.passwordHash === session.comparedWith
    const over = stays ? sessionBefore : session.token
    if (over !== null) await endSession(tx, over)
    return stays
  })
}

/**
 * Throws the error for the client. A wrong login stays counted. If the login failed for another
 * reason, such as PASSWORDS_BUSY, its count is taken back.
 */
async function refuse(error: unknown, admission: Admission): Promise<never> {
  if (statusOf(error) < 500 || isUserGone(error)) {
    throw new AppError('INVALID_CREDENTIALS', { cause: error })
  }
  // If this fails too, the login counts until its time window ends.
  await admission.undone().catch(() => {})
  throw error
}

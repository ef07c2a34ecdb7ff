import { APIError } from 'better-auth/api'
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

interface Client {
  address: string
  headers: Headers
  /** The id of a browser that this account signed in with before. */
  knownBrowser: string | null
  /** The token of the session that the browser has until now. */
  sessionBefore: string | null
}

/** A password that was right, for what nobody has verified yet. */
interface Unverified {
  /** The id of the signup or the account; null where it is not known. */
  unverified: string | null
}

/** A session that was just opened. */
interface OpenedSession {
  /** This is only for the cookie. Anybody who has it is signed in. */
  token: string
  createdAt: Date
  user: SessionUser
}

/**
 * Opens a session, and ends the one that the browser had, because somebody may have copied its
 * cookie. login-limits.ts says how many tries there are; an account that does not exist has as
 * many. If the password changes while it is compared, the try counts as wrong.
 *
 * Every login hashes once, whatever it finds. The account's password and those of the signups that
 * wait for the same address have one salt.
 * @throws {AppError} INVALID_CREDENTIALS, the same for an unknown address and a wrong password;
 * TOO_MANY_REQUESTS; PASSWORDS_BUSY.
 */
export async function logIn(
  deps: LoginDeps,
  { email, password }: Credentials,
  { address, headers, knownBrowser, sessionBefore }: Client,
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
  if (!(await staysOpen(db, session, sessionBefore))) throw new AppError('INVALID_CREDENTIALS')
  await admission.right()
  return { token, createdAt: clock(), user }
}

/**
 * Signs in by Better Auth, or finds the unverified account or the signup that the password is right
 * for. The try of a signup stays counted as a wrong one. Anybody can sign up with somebody's address,
 * and would otherwise win back his tries at that account.
 * @throws {APIError} when the password is right for nothing.
 */
async function compare(
  { auth, passwords }: LoginDeps,
  { email, password, salt, headers }: Credentials & { salt: string; headers: Headers },
  known: KnownPasswords,
) {
  try {
    return await auth.api.signInEmail({ body: { email, password }, headers })
  } catch (error) {
    const status = statusOf(error)
    if (status === 403) return { unverified: known.account?.userId ?? null, isAccount: true }
    if (status !== 401) throw error
    for (const { signupId, passwordHash } of known.waiting) {
      if (saltOf(passwordHash) !== salt) continue
      const isRight = await passwords.verify({ hash: passwordHash, password })
      if (isRight) return { unverified: signupId, isAccount: false }
    }
    throw error
  }
}

function statusOf(error: unknown): number {
  return error instanceof APIError ? error.statusCode : 500
}

/**
 * Ends a new session if its password has been replaced since the comparison began. The comparison
 * takes a while, and a reset meanwhile ends all sessions except this one. The lock leaves two
 * cases: the reset is over and this check sees it, or the reset comes later and ends this session
 * with the others. Only a session that stays open replaces the one before.
 */
function staysOpen(
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

/** Counts the try by its outcome, and throws the error for the client. */
async function refuse(error: unknown, admission: Admission): Promise<never> {
  if (statusOf(error) < 500) throw new AppError('INVALID_CREDENTIALS', { cause: error })
  // If this fails too, the try expires with its time window.
  await admission.undone().catch(() => {})
  throw error
}

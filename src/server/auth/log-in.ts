import { APIError } from 'better-auth/api'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import type { AuthUser } from './auth.ts'
import { accountName } from './known-browser.ts'
import { type Admission, admitTry } from './login-limits.ts'
import { endSession, findPasswordHash, lockCredentials } from './queries.ts'

interface Credentials {
  email: string
  password: string
}

interface Client {
  /** The client's address, or for IPv6 its block of addresses. */
  address: string
  headers: Headers
  /** The id of a browser that this account signed in with before. */
  knownBrowser: string | null
}

/**
 * Opens a session: returns its user and the headers that set its cookies. login-limits.ts says how
 * many tries there are; an account that does not exist has as many. If the password changes while
 * it is compared, the try counts as wrong.
 * @throws {AppError} INVALID_CREDENTIALS, the same for an unknown address and a wrong password;
 * EMAIL_NOT_VERIFIED; TOO_MANY_REQUESTS; PASSWORDS_BUSY.
 */
export async function logIn(
  deps: Pick<Deps, 'auth' | 'clock' | 'db' | 'passwords' | 'rateLimits'>,
  { email, password }: Credentials,
  { address, headers, knownBrowser }: Client,
): Promise<{ user: SessionUser; headers: Headers }> {
  const { auth, clock, db, passwords } = deps
  const account = await accountName(deps, email)
  const admission = await admitTry(deps, { account, address, knownBrowser })
  const comparedWith = await findPasswordHash(db, email.toLowerCase())
  const signIn = () =>
    auth.api.signInEmail({
      body: { email, password },
      headers: sessionHeaders(headers),
      returnHeaders: true,
    })
  const signedIn = await passwords
    .forClient(address, signIn)
    .catch((error: unknown) => refuse(error, admission))
  const user = toSessionUser(signedIn.response.user as AuthUser, clock())
  const session = { token: signedIn.response.token, userId: user.id, comparedWith }
  if (!(await staysOpen(db, session))) throw new AppError('INVALID_CREDENTIALS')
  await admission.right()
  return { user, headers: signedIn.headers }
}

/**
 * Ends a new session if its password has been replaced since the comparison began. The comparison
 * takes a while, and a reset meanwhile ends all sessions except this one. The lock leaves two
 * cases: the reset is over and this check sees it, or the reset comes later and ends this session
 * with the others.
 */
function staysOpen(
  db: Db,
  session: { token: string; userId: string; comparedWith: string | null },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const account = await lockCredentials(tx, session.userId)
    if (account && account.passwordHash === session.comparedWith) return true
    await endSession(tx, session.token)
    return false
  })
}

/** Counts the try by its outcome, and throws the error for the client. */
async function refuse(error: unknown, admission: Admission): Promise<never> {
  const status = error instanceof APIError ? error.statusCode : 500
  if (status === 403) {
    await admission.right()
    throw new AppError('EMAIL_NOT_VERIFIED', { cause: error })
  }
  if (status < 500) throw new AppError('INVALID_CREDENTIALS', { cause: error })
  // If this fails too, the try expires with its time window.
  await admission.undone().catch(() => {})
  throw error
}

/**
 * Keeps only the headers that a session row records. A stale cookie must not influence a fresh
 * login.
 */
function sessionHeaders(headers: Headers): Headers {
  const kept = new Headers()
  const userAgent = headers.get('user-agent')
  if (userAgent) kept.set('user-agent', userAgent)
  return kept
}

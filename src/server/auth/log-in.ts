import { APIError } from 'better-auth/api'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/address-block.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import type { AuthUser } from './auth.ts'
import { accountName } from './known-browser.ts'
import { type Admission, admitTry } from './login-limits.ts'
import { sessionHeaders } from './new-session.ts'
import { findPasswordHash, lockCredentials } from './queries.ts'
import { endSession } from './session-queries.ts'

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
 * @throws {AppError} INVALID_CREDENTIALS, the same for an unknown address and a wrong password;
 * EMAIL_NOT_VERIFIED; TOO_MANY_REQUESTS; PASSWORDS_BUSY.
 */
export async function logIn(
  deps: Pick<Deps, 'auth' | 'clock' | 'db' | 'passwords' | 'rateLimits'>,
  { email, password }: Credentials,
  { address, headers, knownBrowser, sessionBefore }: Client,
): Promise<OpenedSession> {
  const { auth, clock, db, passwords } = deps
  const account = await accountName(deps, email)
  const block = addressBlock(address)
  const admission = await admitTry(deps, { account, address: block, knownBrowser })
  const comparedWith = await findPasswordHash(db, email.toLowerCase())
  const signIn = () =>
    auth.api.signInEmail({ body: { email, password }, headers: sessionHeaders(headers, address) })
  const signedIn = await passwords
    .forClient(block, signIn)
    .catch((error: unknown) => refuse(error, admission))
  const { token } = signedIn
  const user = toSessionUser(signedIn.user as AuthUser, clock())
  const session = { token, userId: user.id, comparedWith }
  if (!(await staysOpen(db, session, sessionBefore))) throw new AppError('INVALID_CREDENTIALS')
  await admission.right()
  return { token, createdAt: clock(), user }
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

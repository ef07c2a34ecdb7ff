import { APIError } from 'better-auth/api'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import type { AuthUser } from './auth.ts'
import { accountName } from './known-browser.ts'
import { type Admission, admitTry } from './login-limits.ts'

interface Credentials {
  email: string
  password: string
}

interface Client {
  /** Its address, or the block of it. */
  address: string
  headers: Headers
  /** The id of a browser that this account signed in with before. */
  knownBrowser: string | null
}

/**
 * Opens a session: answers who it belongs to and the headers that set its cookies. How many tries
 * there are is said in login-limits.ts; an account that does not exist has as many.
 * @throws {AppError} INVALID_CREDENTIALS, the same for an unknown address and a wrong password;
 * EMAIL_NOT_VERIFIED; TOO_MANY_REQUESTS; PASSWORDS_BUSY.
 */
export const logIn = async (
  deps: Pick<Deps, 'auth' | 'clock' | 'passwords' | 'rateLimits'>,
  { email, password }: Credentials,
  { address, headers, knownBrowser }: Client,
): Promise<{ user: SessionUser; headers: Headers }> => {
  const { auth, clock, passwords } = deps
  const account = await accountName(deps, email)
  const admission = await admitTry(deps, { account, address, knownBrowser })
  const signIn = () =>
    auth.api.signInEmail({
      body: { email, password },
      headers: sessionHeaders(headers),
      returnHeaders: true,
    })
  const signedIn = await passwords
    .forClient(address, signIn)
    .catch((error: unknown) => refuse(error, admission))
  await admission.right()
  const user = toSessionUser(signedIn.response.user as AuthUser, clock())
  return { user, headers: signedIn.headers }
}

/** Counts the try as what it was, and throws what the client is told. */
const refuse = async (error: unknown, admission: Admission): Promise<never> => {
  const status = error instanceof APIError ? error.statusCode : 500
  if (status === 403) {
    await admission.right()
    throw new AppError('EMAIL_NOT_VERIFIED', { cause: error })
  }
  if (status < 500) throw new AppError('INVALID_CREDENTIALS', { cause: error })
  // Where that fails too, the end of its window takes the try back.
  await admission.undone().catch(() => {})
  throw error
}

/** Only what a session row records; a stale cookie must not decide over a fresh login. */
const sessionHeaders = (headers: Headers): Headers => {
  const kept = new Headers()
  const userAgent = headers.get('user-agent')
  if (userAgent) kept.set('user-agent', userAgent)
  return kept
}

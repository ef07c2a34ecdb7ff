import { APIError } from 'better-auth/api'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import type { AuthUser } from './auth.ts'

interface Credentials {
  email: string
  password: string
}

/**
 * Opens a session: answers who it belongs to and the headers that set its cookies. Attempts are counted by account and by address; a success
 * forgets those by account.
 * @throws {AppError} INVALID_CREDENTIALS, the same for an unknown address and a wrong password;
 * EMAIL_NOT_VERIFIED; TOO_MANY_REQUESTS.
 */
export const logIn = async (
  { auth, clock, rateLimits }: Pick<Deps, 'auth' | 'clock' | 'rateLimits'>,
  { email, password }: Credentials,
  client: { address: string; headers: Headers },
): Promise<{ user: SessionUser; headers: Headers }> => {
  const account = `${client.address} ${email.toLowerCase()}`
  await rateLimits.spend('loginByAddress', client.address)
  await rateLimits.spend('loginByAccount', account)
  try {
    const { headers, response } = await auth.api.signInEmail({
      body: { email, password },
      headers: sessionHeaders(client.headers),
      returnHeaders: true,
    })
    await rateLimits.forgive('loginByAccount', account)
    const user = toSessionUser(response.user as AuthUser, clock())
    return { user, headers }
  } catch (error) {
    if (!(error instanceof APIError)) throw error
    if (error.statusCode === 403) throw new AppError('EMAIL_NOT_VERIFIED', { cause: error })
    if (error.statusCode < 500) throw new AppError('INVALID_CREDENTIALS', { cause: error })
    throw error
  }
}

/** Only what a session row records; a stale cookie must not decide over a fresh login. */
const sessionHeaders = (headers: Headers): Headers => {
  const kept = new Headers()
  const userAgent = headers.get('user-agent')
  if (userAgent) kept.set('user-agent', userAgent)
  return kept
}

import { APIError } from 'better-auth/api'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/address-block.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import type { AuthUser } from './auth.ts'

interface Credentials {
  email: string
  password: string
}

/**
 * Opens a session: answers who it belongs to and the headers that set its cookies. Failed attempts are counted by
 * account, by address, and by both together, where the fewest are allowed.
 * @throws {AppError} INVALID_CREDENTIALS, the same for an unknown address and a wrong password;
 * EMAIL_NOT_VERIFIED; TOO_MANY_REQUESTS.
 */
export const logIn = async (
  { auth, clock, rateLimits }: Pick<Deps, 'auth' | 'clock' | 'rateLimits'>,
  { email, password }: Credentials,
  client: { address: string; headers: Headers },
): Promise<{ user: SessionUser; headers: Headers }> => {
  const address = addressBlock(client.address)
  const account = email.toLowerCase()
  const accountFromAddress = `${address} ${account}`
  await rateLimits.spend('loginByAddress', address)
  await rateLimits.spend('loginByAccount', account)
  await rateLimits.spend('loginByAccountAndAddress', accountFromAddress)
  try {
    const { headers, response } = await auth.api.signInEmail({
      body: { email, password },
      headers: sessionHeaders(client.headers),
      returnHeaders: true,
    })
    await rateLimits.refund('loginByAddress', address)
    await rateLimits.refund('loginByAccount', account)
    await rateLimits.forgive('loginByAccountAndAddress', accountFromAddress)
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

import type { Context } from 'hono'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import type { HttpEnv } from '../http/env.ts'
import { findKnownBrowser } from './known-browser.ts'
import { accountName, admitTry } from './login-limits.ts'
import { saltOf } from './password-hashing.ts'
import { findAccount } from './queries.ts'
import { isSameText } from './secrets.ts'

type PasswordDeps = Pick<Deps, 'config' | 'db' | 'passwords' | 'rateLimits' | 'secret'>

/** A request in which a signed-in user gives their current password. */
export interface PasswordCall {
  clientAddress: string
  context: Context<HttpEnv>
}

/**
 * Checks the current password of a signed-in user, whose session may be open on a machine that
 * somebody else uses. A wrong one counts as a wrong login.
 * @returns the stored hash, and the id of the browser if the account knows it.
 * @throws {AppError} WRONG_PASSWORD; NO_PASSWORD; UNAUTHORIZED for a deleted user;
 * TOO_MANY_REQUESTS; PASSWORDS_BUSY
 */
export async function requirePassword(
  deps: PasswordDeps,
  userId: string,
  password: string,
  { clientAddress, context }: PasswordCall,
): Promise<{ passwordHash: string; knownBrowser: string | null }> {
  const account = await findAccount(deps.db, userId)
  if (!account) throw new AppError('UNAUTHORIZED')
  const { email, passwordHash } = account
  if (passwordHash === null) throw new AppError('NO_PASSWORD')
  const address = addressBlock(clientAddress)
  const knownBrowser = findKnownBrowser(deps, context, passwordHash)
  const name = accountName(deps.secret, email)
  const admission = await admitTry(deps, { account: name, address, knownBrowser })
  const hash = await deps.passwords
    .hash(password, saltOf(passwordHash), address)
    .catch(async (error: unknown) => {
      // If the count can't be taken back, it ends with its time window.
      await admission.undo().catch(() => {})
      throw error
    })
  if (!isSameText(hash, passwordHash)) throw new AppError('WRONG_PASSWORD')
  await admission.right()
  return { passwordHash, knownBrowser }
}

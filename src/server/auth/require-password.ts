import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/address-block.ts'
import { accountName } from './known-browser.ts'
import { admitTry } from './login-limits.ts'
import { findCredentials } from './queries.ts'

type PasswordDeps = Pick<Deps, 'auth' | 'db' | 'passwords' | 'rateLimits'>

export interface PasswordClient {
  address: string
  /** The id of a browser that has signed in to this account before; null for any other browser. */
  knownBrowser: string | null
}

/**
 * Compares a password with that of a signed-in user. A wrong one counts as a wrong login to the
 * account. Whatever adds a way to sign in calls this first: the session may be open on a machine
 * that somebody else uses.
 * @returns the hash with which the password was compared.
 * @throws {AppError} WRONG_PASSWORD; NO_PASSWORD; UNAUTHORIZED for a user who is deleted;
 * TOO_MANY_REQUESTS; PASSWORDS_BUSY or UNAVAILABLE, as `Passwords.verify` does.
 */
export async function requirePassword(
  deps: PasswordDeps,
  userId: string,
  password: string,
  { address, knownBrowser }: PasswordClient,
): Promise<string> {
  const { db, passwords } = deps
  const account = await findCredentials(db, userId)
  if (!account) throw new AppError('UNAUTHORIZED')
  const hash = account.passwordHash
  if (hash === null) throw new AppError('NO_PASSWORD')
  const block = addressBlock(address)
  const name = await accountName(deps, account.email)
  const admission = await admitTry(deps, { account: name, address: block, knownBrowser })
  const isRight = await passwords
    .forClient(block, () => passwords.verify({ hash, password }))
    .catch(async (error: unknown) => {
      // If this fails too, the attempt counts until its time window ends.
      await admission.undone().catch(() => {})
      throw error
    })
  if (!isRight) throw new AppError('WRONG_PASSWORD')
  await admission.right()
  return hash
}

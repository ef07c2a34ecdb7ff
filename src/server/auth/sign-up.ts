import { randomUUID } from 'node:crypto'
import { APIError } from 'better-auth/api'
import type { z } from 'zod'
import type { signupBody } from '../../shared/contract/account.ts'
import { tokenLifetimeMs } from '../../shared/rules/accounts/token-purpose.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { fullName } from './full-name.ts'
import { saltForAddress } from './password-salt.ts'
import { findPasswordHash, findUserId } from './queries.ts'
import { requireSignupAllowed } from './require-signup-allowed.ts'
import { insertPendingSignup } from './signup-queries.ts'

type SignupDeps = Pick<Deps, 'auth' | 'clock' | 'config' | 'db' | 'mailQueue' | 'passwords'>
type SignupForm = z.output<typeof signupBody>

interface SignupClient {
  /**
   * The client's address, or the first 64 bits of an IPv6 address. The queue of passwords to hash
   * takes one password of each client in turn.
   */
  address: string
  /** The name of the client's browser; null where it is unknown. */
  browser: string | null
}

/**
 * Signs somebody up (spec §5, signup). Where addresses must be verified, the signup waits until the
 * link in its email is opened, and a stranger cannot notice whether the address has an account.
 * Where addresses need not be verified, the account is made immediately.
 * @returns the id of the waiting signup, or null.
 * @throws {AppError} SIGNUP_NOT_ALLOWED; PASSWORDS_BUSY or UNAVAILABLE, as `Passwords.hash` does;
 * EMAIL_TAKEN, only where addresses need not be verified.
 */
export async function signUp(
  deps: SignupDeps,
  form: SignupForm,
  client: SignupClient,
): Promise<{ signupId: string | null }> {
  const typed = { ...form, email: form.email.toLowerCase() }
  requireSignupAllowed(deps.config.signup, typed.email)
  if (deps.config.requireEmailVerification) return waitForVerification(deps, typed, client)
  await createAccount(deps, typed, client.address)
  return { signupId: null }
}

/**
 * Stores a signup and requests its email. It makes the same statements for every address, so that
 * its duration tells nothing about accounts. The job that writes the email finds out whether the
 * address has an account.
 */
async function waitForVerification(
  deps: SignupDeps,
  { email, firstName, lastName, password }: SignupForm,
  { address, browser }: SignupClient,
): Promise<{ signupId: string }> {
  const { clock, db, mailQueue, passwords } = deps
  const salt = await saltForAddress(deps, email, await findPasswordHash(db, email))
  const passwordHash = await passwords.forClient(address, () => passwords.hash(password, salt))
  const id = randomUUID()
  const createdAt = clock()
  const expiresAt = new Date(createdAt.getTime() + tokenLifetimeMs['verify-email'])
  const names = { firstName, lastName }
  await db.transaction(async (tx) => {
    const signup = { id, email, ...names, passwordHash, browser, createdAt, expiresAt }
    await insertPendingSignup(tx, signup)
    await mailQueue.add({ kind: 'signup', signupId: id }, tx)
  })
  return { signupId: id }
}

/**
 * Makes an account. The administrator's address counts as taken even before that account exists.
 * @throws {AppError} EMAIL_TAKEN, also for the later of two parallel requests for one address;
 * PASSWORDS_BUSY or UNAVAILABLE, as `Passwords.hash` does.
 */
async function createAccount(
  { auth, config, db, passwords }: SignupDeps,
  { email, firstName, lastName, password }: SignupForm,
  client: string,
): Promise<void> {
  if (email === config.adminEmail || (await findUserId(db, email)) !== null) {
    throw new AppError('EMAIL_TAKEN')
  }
  const name = fullName({ firstName, lastName })
  const body = { email, password, name, firstName, lastName }
  // Better Auth hashes in its transaction. If the hash had to wait there, others could not use that
  // database connection. So the password is hashed before.
  const user = await passwords
    .hashedFirst(client, { password }, () => auth.api.signUpEmail({ body }))
    .then((made) => made.user)
    .catch(async (error: unknown) => {
      if (error instanceof APIError && (await findUserId(db, email)) !== null) return null
      throw error
    })
  // Better Auth answers the later of two parallel requests with a user that does not exist.
  if (user?.id !== (await findUserId(db, email))) throw new AppError('EMAIL_TAKEN')
}

import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { signupBody } from '../../shared/contract/account.ts'
import { tokenLifetimeMs } from '../../shared/rules/accounts/session-lifetime.ts'
import {
  isSignupAllowed,
  type SignupPolicy,
  signupDeniedText,
} from '../../shared/rules/accounts/signup-policy.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { saltFor } from './password-hashing.ts'
import { findAccountByEmail, insertUser, setPassword } from './queries.ts'
import { insertPendingSignup } from './signup-queries.ts'

type SignupDeps = Pick<Deps, 'clock' | 'config' | 'db' | 'mailQueue' | 'passwords' | 'secret'>
type SignupForm = z.output<typeof signupBody>

interface SignupClient {
  /** The client's IPv4 address, or the first 64 bits of its IPv6 address. */
  address: string
  /** The browser's display name, or null if it is unknown. */
  browser: string | null
}

/**
 * Signs a user up (spec §5, signup). With email verification, the signup stays pending until the
 * link in its email is opened, and the response doesn't reveal whether the email address has an
 * account. Otherwise the account is created at once.
 * @returns the id of the pending signup, or null if the account was created.
 * @throws {AppError} SIGNUP_NOT_ALLOWED; PASSWORDS_BUSY; EMAIL_TAKEN, only without email
 * verification.
 */
export async function signUp(
  deps: SignupDeps,
  form: SignupForm,
  client: SignupClient,
): Promise<{ signupId: string | null }> {
  const normalizedForm = { ...form, email: form.email.toLowerCase() }
  requireSignupAllowed(deps.config.signup, normalizedForm.email)
  if (deps.config.requireEmailVerification) return storePendingSignup(deps, normalizedForm, client)
  await createAccount(deps, normalizedForm, client.address)
  return { signupId: null }
}

/**
 * Throws unless the settings allow signups with this email address.
 * @throws {AppError} SIGNUP_NOT_ALLOWED, with a message that says who may sign up.
 */
export function requireSignupAllowed(policy: SignupPolicy, email: string): void {
  if (isSignupAllowed(policy, email)) return
  const message = signupDeniedText(policy)
  throw new AppError('SIGNUP_NOT_ALLOWED', message === null ? {} : { message })
}

/**
 * Stores a signup and requests its email. Runs the same statements for every email address, so that
 * timing reveals nothing about accounts. The job that writes the email looks up the account.
 */
async function storePendingSignup(
  { clock, db, mailQueue, passwords, secret }: SignupDeps,
  { email, firstName, lastName, password }: SignupForm,
  { address, browser }: SignupClient,
): Promise<{ signupId: string }> {
  const passwordHash = await passwords.hash(password, saltFor(secret, email), address)
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
 * Creates an account. The administrator's address is reserved even before the administrator's
 * account exists.
 */
async function createAccount(
  { clock, config, db, passwords, secret }: SignupDeps,
  { email, firstName, lastName, password }: SignupForm,
  address: string,
): Promise<void> {
  if (email === config.adminEmail || (await findAccountByEmail(db, email))) {
    throw new AppError('EMAIL_TAKEN')
  }
  const passwordHash = await passwords.hash(password, saltFor(secret, email), address)
  await db.transaction(async (tx) => {
    const now = clock()
    const owner = { email, firstName, lastName, picture: null }
    const userId = await insertUser(tx, owner, { emailVerified: false, now })
    if (userId === null) throw new AppError('EMAIL_TAKEN')
    await setPassword(tx, userId, passwordHash, now)
  })
}

import { APIError } from 'better-auth/api'
import type { z } from 'zod'
import type { signupBody } from '../../shared/contract/account.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { findUserId } from './queries.ts'
import { requireSignupAllowed } from './require-signup-allowed.ts'

/**
 * Creates an account (spec §5, signup). The administrator's address counts as taken even before
 * that account exists.
 * @param client the client for whom the password is hashed.
 * @throws {AppError} SIGNUP_NOT_ALLOWED; EMAIL_TAKEN, also for the later of two parallel requests for one address;
 * PASSWORDS_BUSY.
 */
export async function signUp(
  { auth, config, db, passwords }: Pick<Deps, 'auth' | 'config' | 'db' | 'passwords'>,
  form: z.output<typeof signupBody>,
  client: string,
): Promise<{ requiresVerification: boolean }> {
  const email = form.email.toLowerCase()
  requireSignupAllowed(config.signup, email)
  if (email === config.adminEmail || (await findUserId(db, email)) !== null) {
    throw new AppError('EMAIL_TAKEN')
  }
  const { firstName, lastName, password } = form
  const body = { email, password, name: `${firstName} ${lastName}`, firstName, lastName }
  // Better Auth hashes in its transaction, where a wait would keep a database connection from
  // others. So the password is hashed before.
  const user = await passwords
    .hashedFirst(client, password, () => auth.api.signUpEmail({ body }))
    .then((made) => made.user)
    .catch(async (error: unknown) => {
      if (error instanceof APIError && (await findUserId(db, email)) !== null) return null
      throw error
    })
  // Better Auth answers the later of two parallel requests with a user that does not exist.
  if (user?.id !== (await findUserId(db, email))) throw new AppError('EMAIL_TAKEN')
  return { requiresVerification: config.requireEmailVerification }
}

import { APIError } from 'better-auth/api'
import type { z } from 'zod'
import type { signupBody } from '../../shared/contract/account.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { emailExists } from './queries.ts'

/**
 * Creates an account (spec §5, signup). The administrator's address is taken, whether or not that
 * account exists yet.
 * @throws {AppError} EMAIL_TAKEN, also when two requests for one address race.
 */
export const signUp = async (
  { auth, config, db }: Pick<Deps, 'auth' | 'config' | 'db'>,
  form: z.output<typeof signupBody>,
): Promise<{ requiresVerification: boolean }> => {
  const email = form.email.toLowerCase()
  if (email === config.adminEmail || (await emailExists(db, email))) {
    throw new AppError('EMAIL_TAKEN')
  }
  const { firstName, lastName, password } = form
  try {
    await auth.api.signUpEmail({
      body: { email, password, name: `${firstName} ${lastName}`, firstName, lastName },
    })
  } catch (error) {
    if (error instanceof APIError && (await emailExists(db, email))) {
      throw new AppError('EMAIL_TAKEN', { cause: error })
    }
    throw error
  }
  return { requiresVerification: config.requireEmailVerification }
}

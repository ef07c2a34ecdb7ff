import { z } from 'zod'
import { longestAddress } from '../rules/accounts/mail-address.ts'
import { tiers } from '../rules/tiers/tier.ts'
import { endpoint } from './endpoint.ts'
import { done, fitsDatabase, isoDate, isPlainLine } from './fields.ts'
import { limitsSchema } from './settings.ts'

/** Spec §9: minimum password length 6. The maximum only keeps hashing cheap. */
export const minPasswordLength = 6
export const maxPasswordLength = 128

/** The hint that forms show for a new password: 'Must be at least 6 characters long' (spec §2). */
export const passwordHint = `Must be at least ${minPasswordLength} characters long`

/** Spec §5: 'Password must be at least 6 characters long.' */
export const passwordTooShort = `Password must be at least ${minPasswordLength} characters long.`

export const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  /** True when somebody has proved that they can read the mail of this address. */
  emailVerified: z.boolean(),
  tier: z.enum(tiers),
  isAdmin: z.boolean(),
  premiumTrialStartedAt: isoDate.nullable(),
  premiumTrialEndsAt: isoDate.nullable(),
  profileImageUrl: z.string().nullable(),
})
export type User = z.infer<typeof userSchema>

/** A mail address as people type it. Accounts keep it in lower case. */
export const email = z.string().trim().min(1).max(longestAddress).pipe(z.email())
/**
 * Passwords are hashed as UTF-8. Two texts that UTF-8 cannot represent could become the same
 * password, so they are refused.
 */
const password = z.string().max(maxPasswordLength).refine(fitsDatabase, 'Must be text.')
/**
 * A password that is only compared. It may have been set before today's rules, so it may be short.
 */
export const currentPassword = password.min(1)
export const newPassword = password.min(minPasswordLength, passwordTooShort)
/** The secret text in the link of an email, which proves that somebody has read the mail. */
const token = z.string().min(1).max(200)
/**
 * A name must be one line without characters that reorder text, because emails and logs show it.
 */
export const optionalName = z.string().trim().max(100).refine(isPlainLine, 'Must be text.')
export const personName = optionalName.min(1)

/** Spec §5, signup: all fields are required, both passwords match, at least 6 characters. */
export const signupBody = z
  .object({
    firstName: personName,
    lastName: personName,
    email,
    password: newPassword,
    confirmPassword: z.string(),
  })
  .refine((body) => body.password === body.confirmPassword, {
    path: ['confirmPassword'],
    message: 'Passwords do not match. Please try again.',
  })

export const account = {
  signup: endpoint({
    method: 'POST',
    path: '/api/auth/signup',
    summary:
      'Create an account with email and password. With requiresVerification it waits for the click in an email, and the answer is the same for an address that has an account.',
    access: 'visitor',
    body: signupBody,
    response: z.object({ message: z.string(), requiresVerification: z.boolean() }),
    errors: ['EMAIL_TAKEN', 'SIGNUP_NOT_ALLOWED', 'PASSWORDS_BUSY'],
  }),
  verifyEmail: endpoint({
    method: 'POST',
    path: '/api/auth/verify-email',
    summary:
      'Verify an address by the token of an email, which makes the account of its signup. The same token again succeeds and changes nothing.',
    access: 'visitor',
    body: z.object({ token }),
    response: done,
    errors: ['TOKEN_INVALID', 'SIGNUP_NOT_ALLOWED'],
  }),
  checkVerifyToken: endpoint({
    method: 'POST',
    path: '/api/auth/verify-email/check',
    summary:
      'Whether the token of an email belongs to a signup that this browser made. Uses nothing up.',
    access: 'visitor',
    body: z.object({ token }),
    response: z.object({ isOwnSignup: z.boolean() }),
    errors: ['TOKEN_INVALID'],
  }),
  resendVerification: endpoint({
    method: 'POST',
    path: '/api/auth/resend-verification',
    summary:
      'Ask for the email of a signup again. The answer tells nobody whether the address waits for one.',
    access: 'visitor',
    body: z.object({ email }),
    response: done,
    errors: [],
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with email and password; sets the session cookie.',
    access: 'visitor',
    body: z.object({ email, password: currentPassword }),
    response: userSchema,
    errors: ['INVALID_CREDENTIALS', 'EMAIL_NOT_VERIFIED', 'PASSWORDS_BUSY'],
  }),
  forgotPassword: endpoint({
    method: 'POST',
    path: '/api/auth/forgot-password',
    summary:
      'Ask for an email to reset a password. The answer tells nobody whether the account exists.',
    access: 'visitor',
    body: z.object({ email }),
    response: done,
    errors: [],
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/api/auth/reset-password',
    summary: 'Set a new password by the token of an email; ends every session of the account.',
    access: 'visitor',
    body: z.object({ token, newPassword }),
    response: done,
    errors: ['TOKEN_INVALID', 'PASSWORDS_BUSY'],
  }),
  checkResetToken: endpoint({
    method: 'POST',
    path: '/api/auth/reset-password/check',
    summary:
      'Whether the token of an email can still set a new password. It can be asked again, and uses nothing up.',
    access: 'visitor',
    body: z.object({ token }),
    response: z.object({ isValid: z.boolean() }),
    errors: [],
  }),
  currentUser: endpoint({
    method: 'GET',
    path: '/api/auth/user',
    summary: 'The signed-in user, and the limits of each tier that are in force.',
    access: 'user',
    // The answer contains the limits, so a page need not ask for them before the first upload.
    response: userSchema.extend({ limits: limitsSchema }),
    errors: ['UNAUTHORIZED'],
  }),
  logout: endpoint({
    method: 'GET',
    path: '/api/logout',
    summary: 'Browser navigation that ends the session and returns to the front page.',
    access: 'visitor',
    response: { raw: 'redirect' },
    errors: [],
  }),
}

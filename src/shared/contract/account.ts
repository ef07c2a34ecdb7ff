import { z } from 'zod'
import { maxEmailLength } from '../rules/accounts/email-limits.ts'
import { maxNameLength } from '../rules/accounts/names.ts'
import {
  maxPasswordLength,
  minPasswordLength,
  passwordTooShortText,
} from '../rules/accounts/password.ts'
import { hasVisibleCharacter, isPlainLine, isStorableText } from '../rules/format/text.ts'
import { tiers } from '../rules/tiers/tier.ts'
import { endpoint } from './endpoint.ts'
import { isoDate, messageResponse } from './fields.ts'
import { limitsSchema } from './settings.ts'

export const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  emailVerified: z.boolean(),
  tier: z.enum(tiers),
  isAdmin: z.boolean(),
  premiumTrialStartedAt: isoDate.nullable(),
  premiumTrialEndsAt: isoDate.nullable(),
  profileImageUrl: z.string().nullable().describe('The picture from Google.'),
})
export type User = z.infer<typeof userSchema>

/** Trimmed, but otherwise as the user typed it. Accounts store email addresses in lower case. */
export const email = z.string().trim().min(1).max(maxEmailLength).pipe(z.email())
/** Passwords are hashed as UTF-8, so text that UTF-8 can't represent is rejected. */
const password = z.string().max(maxPasswordLength).refine(isStorableText, 'Must be text.')
/** May be shorter than `minPasswordLength`, because earlier rules allowed shorter passwords. */
export const currentPassword = password.min(1)
export const newPassword = password.min(minPasswordLength, passwordTooShortText)
const token = z.string().min(1).max(200).describe('The secret from the link in the email.')
export const optionalName = z
  .string()
  .trim()
  .max(maxNameLength)
  .refine(isPlainLine, 'Must be text.')
export const personName = optionalName
  .min(1)
  .refine(hasVisibleCharacter, 'Must have a visible character.')

/**
 * Spec §5, signup: every field is required, and the passwords must match and have at least 6
 * characters.
 */
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
  signup: endpoint('POST', '/api/auth/signup', {
    summary: 'Sign up with email and password',
    access: 'visitor',
    body: signupBody,
    response: z.object({
      message: z.string(),
      requiresVerification: z
        .boolean()
        .describe('Whether the account is created only after a click in an email.'),
    }),
    errors: ['EMAIL_TAKEN', 'SIGNUP_NOT_ALLOWED', 'PASSWORDS_BUSY'],
  }),
  verifyEmail: endpoint('POST', '/api/auth/verify-email', {
    summary: 'Verify an email address and create its account. Idempotent',
    access: 'visitor',
    body: z.object({ token }),
    response: messageResponse,
    errors: ['TOKEN_INVALID', 'SIGNUP_NOT_ALLOWED'],
  }),
  checkVerifyToken: endpoint('POST', '/api/auth/verify-email/check', {
    summary: 'Check whether this browser made the signup of a token',
    access: 'visitor',
    body: z.object({ token }),
    response: z.object({ isOwnSignup: z.boolean() }),
    errors: ['TOKEN_INVALID'],
  }),
  resendVerification: endpoint('POST', '/api/auth/resend-verification', {
    summary: 'Send the email of a signup again. The answer is the same for any address',
    access: 'visitor',
    body: z.object({ email }),
    response: messageResponse,
  }),
  login: endpoint('POST', '/api/auth/login', {
    summary: 'Sign in with email and password. Sets the session cookie',
    access: 'visitor',
    body: z.object({ email, password: currentPassword }),
    response: userSchema,
    errors: ['INVALID_CREDENTIALS', 'EMAIL_NOT_VERIFIED', 'PASSWORDS_BUSY'],
  }),
  forgotPassword: endpoint('POST', '/api/auth/forgot-password', {
    summary: 'Send an email to reset a password. The answer is the same for any address',
    access: 'visitor',
    body: z.object({ email }),
    response: messageResponse,
  }),
  resetPassword: endpoint('POST', '/api/auth/reset-password', {
    summary: 'Set a new password. Ends all sessions of the account',
    access: 'visitor',
    body: z.object({ token, newPassword }),
    response: messageResponse,
    errors: ['TOKEN_INVALID', 'PASSWORDS_BUSY'],
  }),
  checkResetToken: endpoint('POST', '/api/auth/reset-password/check', {
    summary: 'Check whether a token can still reset a password',
    access: 'visitor',
    body: z.object({ token }),
    response: z.object({ isValid: z.boolean() }),
  }),
  currentUser: endpoint('GET', '/api/auth/user', {
    summary: 'Get the signed-in user and the limits of each tier',
    access: 'user',
    // The limits are included to save the page a second request.
    response: userSchema.extend({ limits: limitsSchema }),
  }),
  logout: endpoint('GET', '/api/logout', {
    summary: 'Sign out and redirect to the front page',
    access: 'visitor',
    response: { raw: 'redirect' },
  }),
}

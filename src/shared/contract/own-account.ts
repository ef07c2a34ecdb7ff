import { z } from 'zod'
import { recentSignInMs } from '../rules/accounts/session-lifetime.ts'
import { fixedPolicies, type SignupPolicy } from '../rules/accounts/signup-policy.ts'
import { durationText } from '../rules/format/numbers.ts'
import { isStorableText } from '../rules/format/text.ts'
import { tiers } from '../rules/tiers/tier.ts'
import { currentPassword, newPassword, optionalName, personName, userSchema } from './account.ts'
import { endpoint } from './endpoint.ts'
import { isoDate, messageResponse } from './fields.ts'

/** A session as shown to the user it belongs to. */
export const sessionSchema = z.object({
  id: z.string(),
  createdAt: isoDate,
  lastSeenAt: isoDate.describe('Accurate to ten minutes.'),
  userAgent: z.string().nullable(),
  browser: z.string().nullable().describe('For example "Firefox on Linux"; null if unknown.'),
  ipAddress: z.string().nullable().describe('The address that used it last.'),
  isCurrent: z.boolean().describe('Whether this call uses it.'),
})
export type SessionView = z.infer<typeof sessionSchema>

const signInMethods = ['password', 'google'] as const
export type SignInMethod = (typeof signInMethods)[number]

const signupPolicy: z.ZodType<SignupPolicy> = z.union([z.enum(fixedPolicies), z.array(z.string())])

const userResponse = z.object({ user: userSchema })

/**
 * Strict, because a misspelled `tier` would otherwise be ignored and switch the user to the other
 * tier.
 */
export const tierBody = z
  .strictObject({ tier: z.enum(tiers).optional().describe('By default, the other tier.') })
  .optional()

/** The endpoints for the account page and the sign-in methods. */
export const ownAccount = {
  updateUser: endpoint('PATCH', '/api/auth/user', {
    summary: 'Change your name. The last name can be empty',
    access: 'user',
    body: z.object({
      firstName: personName.optional(),
      lastName: optionalName.optional(),
    }),
    response: userSchema,
  }),
  deleteAccount: endpoint('DELETE', '/api/auth/user', {
    summary: 'Delete your account and everything in it, immediately and for good',
    access: 'user',
    body: z.strictObject({
      password: currentPassword
        .optional()
        .describe(
          `Required if the account has one. If not, you must have signed in with Google in the last ${durationText(recentSignInMs)}.`,
        ),
    }),
    response: z.object({ message: z.string(), deletedFiles: z.int().nonnegative() }),
    errors: ['WRONG_PASSWORD', 'NO_PASSWORD', 'SIGN_IN_AGAIN', 'ADMIN_STAYS', 'PASSWORDS_BUSY'],
  }),
  changePassword: endpoint('POST', '/api/auth/change-password', {
    summary: 'Change your password. Ends all other sessions and replaces the session cookie',
    access: 'user',
    body: z.object({ currentPassword, newPassword }),
    response: messageResponse,
    errors: ['WRONG_PASSWORD', 'NO_PASSWORD', 'PASSWORDS_BUSY'],
  }),
  holdings: endpoint('GET', '/api/auth/user/holdings', {
    summary: 'Count your files, their bytes and your active links',
    access: 'user',
    response: z.object({
      fileCount: z.int().nonnegative(),
      totalSize: z.int().nonnegative(),
      activeLinks: z.int().nonnegative(),
    }),
  }),
  listSessions: endpoint('GET', '/api/auth/sessions', {
    summary: 'List your sessions: the current one, then the last used, up to 100',
    access: 'user',
    response: z.array(sessionSchema),
  }),
  endSession: endpoint('DELETE', '/api/auth/sessions/{id}', {
    summary: 'End one of your sessions',
    access: 'user',
    params: z.object({ id: z.string().max(64).refine(isStorableText, 'Must be an id.') }),
    response: messageResponse,
    errors: ['SESSION_NOT_FOUND'],
  }),
  endOtherSessions: endpoint('DELETE', '/api/auth/sessions', {
    summary: 'End all of your sessions except the current one',
    access: 'user',
    response: messageResponse,
  }),
  signInWays: endpoint('GET', '/api/auth/ways', {
    summary: 'Get the ways to sign in and who can sign up',
    access: 'visitor',
    response: z.object({
      google: z.boolean().describe('Whether Google, or another configured issuer, is available.'),
      signup: signupPolicy.describe('`open`, `closed`, or a list of email domains.'),
      sendsMail: z.boolean().describe('False if only the operator can read emails.'),
    }),
  }),
  startSignIn: endpoint('GET', '/api/login', {
    summary: 'Redirect to Google to sign in, or to /login without Google',
    access: 'visitor',
    query: z.object({
      next: z.string().optional().describe('The page of this server to return to.'),
    }),
    response: { raw: 'redirect' },
  }),
  googleCallback: endpoint('GET', '/api/auth/callback/google', {
    summary: 'Finish signing in with Google. On failure, redirects to /login with `fault`',
    access: 'visitor',
    response: { raw: 'redirect' },
  }),
  listOwnWays: endpoint('GET', '/api/auth/user/ways', {
    summary: 'List the ways to sign in to your account',
    access: 'user',
    response: z.array(z.object({ way: z.enum(signInMethods), since: isoDate })),
  }),
  linkGoogle: endpoint('POST', '/api/auth/user/ways/google', {
    summary: 'Start to link Google to your account',
    access: 'user',
    body: z.object({ currentPassword }),
    response: z.object({
      url: z.url().describe('Open it. It leads back to /account with `linked=google` or `fault`.'),
    }),
    errors: ['NOT_FOUND', 'WRONG_PASSWORD', 'NO_PASSWORD', 'PASSWORDS_BUSY'],
  }),
  unlinkGoogle: endpoint('DELETE', '/api/auth/user/ways/google', {
    summary: 'Unlink Google from your account and end your other sessions',
    access: 'user',
    response: messageResponse,
    errors: ['NOT_FOUND', 'LAST_WAY_IN'],
  }),
  startTrial: endpoint('POST', '/api/auth/start-trial', {
    summary: 'Start the free trial of Premium, once per account',
    access: 'user',
    response: userResponse,
    errors: ['TRIAL_USED', 'ALREADY_PREMIUM'],
  }),
  togglePremium: endpoint('POST', '/api/auth/toggle-premium', {
    summary: 'Switch your tier. Ends a running trial',
    access: 'user',
    body: tierBody,
    response: userResponse,
  }),
}

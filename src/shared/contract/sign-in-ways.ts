import { z } from 'zod'
import { policiesForAll, type SignupPolicy } from '../rules/accounts/signup-policy.ts'
import { currentPassword } from './account.ts'
import { endpoint } from './endpoint.ts'
import { done, isoDate } from './fields.ts'

/**
 * The ways to sign in to an account. `google` is the OpenID Connect issuer that the operator
 * configured, usually Google.
 */
const ways = ['password', 'google'] as const
export type SignInWay = (typeof ways)[number]

const signupPolicy: z.ZodType<SignupPolicy> = z.union([z.enum(policiesForAll), z.array(z.string())])

export const signInWays = {
  signInWays: endpoint({
    method: 'GET',
    path: '/api/auth/ways',
    summary:
      'How people can sign in here, and who can sign up; the login and signup pages show what is there.',
    access: 'visitor',
    response: z.object({
      /**
       * True if people can sign in with Google, or with another issuer that the operator
       * configured.
       */
      google: z.boolean(),
      /** Who can sign up: anybody, nobody, or people with a mail address of these domains. */
      signup: signupPolicy,
      /** False if no mail server is configured. Then emails reach nobody. */
      sendsMail: z.boolean(),
    }),
    errors: [],
  }),
  startSignIn: endpoint({
    method: 'GET',
    path: '/api/login',
    summary:
      'Browser navigation that starts signing in with Google; without Google it leads to /login. `next` is the page to come back to; anything that is no page of this server counts as the front page.',
    access: 'visitor',
    query: z.object({ next: z.string().optional() }),
    response: { raw: 'redirect' },
    errors: [],
  }),
  googleCallback: endpoint({
    method: 'GET',
    path: '/api/auth/callback/google',
    summary:
      'Where Google sends the browser back to. Ends at the page that was wanted, or at /login with the reason in the query `fault`; what began on the account page ends there.',
    access: 'visitor',
    response: { raw: 'redirect' },
    errors: [],
  }),
  listOwnWays: endpoint({
    method: 'GET',
    path: '/api/auth/user/ways',
    summary: "The ways to sign in to the caller's account, each with the moment since when.",
    access: 'user',
    response: z.array(z.object({ way: z.enum(ways), since: isoDate })),
    errors: ['UNAUTHORIZED'],
  }),
  linkGoogle: endpoint({
    method: 'POST',
    path: '/api/auth/user/ways/google',
    summary:
      "Begin to add Google to the caller's account, who must know its password. The page goes to `url`; the browser comes back to /account, with `linked=google` or `fault` in the query.",
    access: 'user',
    body: z.object({ currentPassword }),
    response: z.object({ url: z.url() }),
    errors: ['UNAUTHORIZED', 'NOT_FOUND', 'WRONG_PASSWORD', 'NO_PASSWORD', 'PASSWORDS_BUSY'],
  }),
  unlinkGoogle: endpoint({
    method: 'DELETE',
    path: '/api/auth/user/ways/google',
    summary:
      "Remove Google from the caller's account and end the account's other sessions. The last way to sign in stays.",
    access: 'user',
    response: done,
    errors: ['UNAUTHORIZED', 'NOT_FOUND', 'LAST_WAY_IN'],
  }),
}

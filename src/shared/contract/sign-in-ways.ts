import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const signInWays = {
  signInWays: endpoint({
    method: 'GET',
    path: '/api/auth/ways',
    summary: 'How people can sign in here; the login and signup pages show what is there.',
    access: 'visitor',
    response: z.object({
      /** Whether /api/login leads to Google, or to another issuer that the operator named. */
      google: z.boolean(),
    }),
    errors: [],
  }),
  startSignIn: endpoint({
    method: 'GET',
    path: '/api/login',
    summary:
      'Browser navigation that starts signing in. `next` is the page to come back to; anything that is no page of this server counts as the front page.',
    access: 'visitor',
    query: z.object({ next: z.string().optional() }),
    response: { raw: 'redirect' },
    errors: [],
  }),
}

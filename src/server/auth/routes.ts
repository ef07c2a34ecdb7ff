import type { Deps } from '../deps.ts'
import { addressBlock } from '../http/address-block.ts'
import type { Handlers } from '../http/mount.ts'
import { setSessionCookies } from '../http/session.ts'
import { logIn } from './log-in.ts'
import { publicUser } from './public-user.ts'
import { signUp } from './sign-up.ts'

type AuthDeps = Pick<Deps, 'auth' | 'clock' | 'config' | 'db' | 'rateLimits'>

/** Accounts (spec §7): signup, login, the current user, and the two browser navigations. */
export const authRoutes = (
  deps: AuthDeps,
): Handlers<'signup' | 'login' | 'currentUser' | 'startSignIn' | 'logout'> => ({
  async signup({ body, clientAddress }) {
    await deps.rateLimits.spend('signupByAddress', addressBlock(clientAddress))
    const { requiresVerification } = await signUp(deps, body)
    return { message: 'Account created successfully!', requiresVerification }
  },

  async login({ body, clientAddress, context }) {
    const { user, headers } = await logIn(deps, body, {
      address: clientAddress,
      headers: context.req.raw.headers,
    })
    setSessionCookies(context, headers)
    return publicUser(user)
  },

  currentUser: ({ user }) => publicUser(user),

  startSignIn: ({ context }) => context.redirect('/login'),

  async logout({ context }) {
    // A navigation that another site started ends nobody's session, and neither does a mere look.
    const isAsked = context.req.method === 'GET'
    if (isAsked && context.req.header('sec-fetch-site') !== 'cross-site') {
      const { headers } = await deps.auth.api.signOut({
        headers: context.req.raw.headers,
        returnHeaders: true,
      })
      setSessionCookies(context, headers)
    }
    return context.redirect('/')
  },
})

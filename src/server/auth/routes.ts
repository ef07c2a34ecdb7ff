import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/address-block.ts'
import type { Handlers } from '../http/mount.ts'
import { publicUser } from '../http/public-user.ts'
import { type Counter, counter } from '../http/rate-limit.ts'
import { isOfAnotherSite } from '../http/same-origin.ts'
import { browserName } from './browser-name.ts'
import { refusalHolder } from './hold-refusals.ts'
import {
  accountName,
  findKnownBrowser,
  knownBrowserValue,
  setKnownBrowser,
} from './known-browser.ts'
import { logIn } from './log-in.ts'
import { loggingRefusals } from './log-refusals.ts'
import { findResetToken, resetPassword } from './reset-password.ts'
import { clearSessionCookies, readSessionToken, setSessionCookies } from './session-cookie.ts'
import { endSession } from './session-queries.ts'
import { signUp } from './sign-up.ts'
import { readUnverified, setUnverified } from './unverified-cookie.ts'
import { verifyEmail } from './verify-email.ts'

type AuthDeps = Pick<
  Deps,
  'auth' | 'clock' | 'config' | 'db' | 'mailQueue' | 'passwords' | 'rateLimits' | 'settings'
>

type AuthHandlers = Handlers<
  | 'signup'
  | 'verifyEmail'
  | 'resendVerification'
  | 'login'
  | 'forgotPassword'
  | 'resetPassword'
  | 'checkResetToken'
  | 'currentUser'
  | 'logout'
>

/**
 * The endpoints for accounts (spec §7): signup, verification of an address, login, logout, reset of
 * a password, and the current user.
 */
export function authRoutes(deps: AuthDeps): AuthHandlers {
  const holdingRefusals = refusalHolder(deps)
  const { signup, resendVerification, login, forgotPassword, resetPassword, ...others } =
    handlers(deps)
  return {
    ...others,
    signup: (call) => holdingRefusals(async () => signup(call)),
    resendVerification: (call) => holdingRefusals(async () => resendVerification(call)),
    login: (call) => loggingRefusals(call, () => holdingRefusals(async () => login(call))),
    forgotPassword: (call) => holdingRefusals(async () => forgotPassword(call)),
    resetPassword: (call) => holdingRefusals(async () => resetPassword(call)),
  }
}

function handlers(deps: AuthDeps): AuthHandlers {
  return {
    async signup({ body, clientAddress, context }) {
      const address = addressBlock(clientAddress)
      const signups = counter('signupsByAddress', address)
      await deps.rateLimits.spend([signups, ...(await letterCounters(deps, body.email, address))])
      const browser = browserName(context.req.header('user-agent'))
      const { signupId } = await signUp(deps, body, { address, browser })
      if (signupId !== null) setUnverified(deps, context, signupId)
      const requiresVerification = signupId !== null
      return { message: 'Account created successfully!', requiresVerification }
    },

    async verifyEmail({ body, clientAddress }) {
      await verifyEmail(deps, body.token, clientAddress)
      return { message: 'Email verified!' }
    },

    async resendVerification({ body, clientAddress, context }) {
      const address = addressBlock(clientAddress)
      const letters = counter('lettersByAddress', address)
      await deps.rateLimits.spend([letters, ...(await letterCounters(deps, body.email, address))])
      await deps.mailQueue.add({
        kind: 'resend-verification',
        email: body.email.toLowerCase(),
        subject: readUnverified(deps, context),
        askedAt: deps.clock().toISOString(),
      })
      return { message: 'If this address waits to be verified, we have sent the email again.' }
    },

    async login({ body, clientAddress, context }) {
      const knownBrowser = await findKnownBrowser(deps, context, body.email)
      const session = await logIn(deps, body, {
        address: clientAddress,
        headers: context.req.raw.headers,
        knownBrowser,
        sessionBefore: await readSessionToken(deps, context),
      })
      if ('unverified' in session) {
        setUnverified(deps, context, session.unverified)
        throw new AppError('EMAIL_NOT_VERIFIED')
      }
      const known = await knownBrowserValue(deps, context, body.email, knownBrowser)
      // The cookies are set last, when nothing can fail any more. So no answer with an error opens
      // a session.
      await setSessionCookies(deps, context, session)
      if (known !== null) setKnownBrowser(deps, context, known)
      return publicUser(session.user)
    },

    async forgotPassword({ body, clientAddress }) {
      await deps.rateLimits.spend([counter('lettersByAddress', addressBlock(clientAddress))])
      const email = body.email.toLowerCase()
      const askedAt = deps.clock().toISOString()
      // Every request makes one insert, whether or not the account exists. So its duration tells
      // nothing about accounts. The job that sends the email looks for the account later.
      await deps.mailQueue.add({ kind: 'forgot-password', email, askedAt })
      return {
        message: "If an account exists, we've sent password reset instructions to your email.",
      }
    },

    async resetPassword({ body, clientAddress }) {
      await deps.rateLimits.spend([counter('resetsByAddress', addressBlock(clientAddress))])
      await resetPassword(deps, body, clientAddress)
      return { message: 'Password reset successful!' }
    },

    async checkResetToken({ body, clientAddress }) {
      const client = addressBlock(clientAddress)
      await deps.rateLimits.spend([counter('resetChecksByAddress', client)])
      return { isValid: (await findResetToken(deps, body.token)) !== null }
    },

    currentUser: async ({ user }) => ({
      ...publicUser(user),
      limits: await deps.settings.limits(),
    }),

    async logout({ context }) {
      // Only a person who opens the address, or our own page, ends the session. A HEAD request, or
      // a request from another site, even a subdomain of ours, does not.
      if (context.req.method === 'GET' && !isOfAnotherSite(context.req.raw.headers)) {
        const token = await readSessionToken(deps, context)
        if (token !== null) await endSession(deps.db, token)
        clearSessionCookies(deps, context)
      }
      return context.redirect('/')
    },
  }
}

/**
 * Returns the counter of the emails that one client may cause to one address. Where addresses are
 * not verified, there is no such counter. Its limit is lower than the limit for all emails to the
 * address (`letterLimits`). So one client alone cannot use up the emails that the owner may get.
 */
async function letterCounters(deps: AuthDeps, email: string, client: string): Promise<Counter[]> {
  if (!deps.config.requireEmailVerification) return []
  const name = `${client} ${await accountName(deps, email)}`
  return [counter('signupLettersByAccountAndAddress', name)]
}

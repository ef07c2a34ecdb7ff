import { tokenLifetimeMs } from '../../shared/rules/accounts/session-lifetime.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import { isCrossSite } from '../http/hosts.ts'
import type { Handlers } from '../http/mount.ts'
import { type Counter, counter } from '../http/rate-limit.ts'
import { publicUser } from '../http/session.ts'
import { browserName } from './browser-name.ts'
import {
  clearSessionCookies,
  readCookie,
  readSessionToken,
  setSessionCookies,
  writeCookie,
} from './cookies.ts'
import { findKnownBrowser, rememberBrowser } from './known-browser.ts'
import { logIn } from './log-in.ts'
import { hashAccountEmail, logPasswordErrors } from './login-limits.ts'
import { findResetAccount, resetPassword } from './reset-password.ts'
import { endSession, readSessionClient } from './sessions.ts'
import { signUp } from './sign-up.ts'
import { isOwnSignup, verifyEmail } from './verify-email.ts'

type AuthDeps = Pick<
  Deps,
  'clock' | 'config' | 'db' | 'mailQueue' | 'passwords' | 'rateLimits' | 'secret' | 'settings'
>

/**
 * The cookie with the id of this browser's pending signup or unverified account. If this browser
 * requests the verification email again, it gets the email for its own signup rather than for a
 * stranger's signup with the same address. If the link is opened in this browser, it verifies the
 * address without a further click. The id is not secret.
 */
const unverifiedCookie = 'unverified'
const unverifiedPattern = /^[\w-]{1,64}$/

/**
 * The account endpoints (spec §7): signup, address verification, login, logout, password reset, and
 * the current user.
 */
export function authRoutes(deps: AuthDeps) {
  const { clock, config, db, mailQueue, rateLimits, settings } = deps
  const setUnverifiedCookie = (context: Parameters<typeof readCookie>[1], id: string) =>
    writeCookie(deps, context, unverifiedCookie, id, tokenLifetimeMs['verify-email'])
  const readUnverifiedCookie = (context: Parameters<typeof readCookie>[1]) => {
    const id = readCookie(deps, context, unverifiedCookie) ?? ''
    return unverifiedPattern.test(id) ? id : null
  }

  return {
    async signup({ body, clientAddress, context }) {
      const address = addressBlock(clientAddress)
      const signupCounter = counter('signupsByAddress', address)
      await rateLimits.spend([signupCounter, ...createEmailCounters(deps, body.email, address)])
      const browser = browserName(context.req.header('user-agent'))
      const { signupId } = await signUp(deps, body, { address, browser })
      if (signupId !== null) setUnverifiedCookie(context, signupId)
      const requiresVerification = signupId !== null
      return { message: 'Account created successfully!', requiresVerification }
    },

    async verifyEmail({ body, clientAddress }) {
      await verifyEmail(deps, body.token, clientAddress)
      return { message: 'Email verified!' }
    },

    async checkVerifyToken({ body, context }) {
      return { isOwnSignup: await isOwnSignup(deps, body.token, readUnverifiedCookie(context)) }
    },

    async resendVerification({ body, clientAddress, context }) {
      const address = addressBlock(clientAddress)
      const emailCounter = counter('emailsByAddress', address)
      await rateLimits.spend([emailCounter, ...createEmailCounters(deps, body.email, address)])
      await mailQueue.add({
        kind: 'resend-verification',
        email: body.email.toLowerCase(),
        subject: readUnverifiedCookie(context),
        askedAt: clock().toISOString(),
      })
      return { message: 'If this address still has to be verified, we have sent the email again.' }
    },

    login: (call) =>
      logPasswordErrors(call, async () => {
        const { body, clientAddress, context } = call
        const session = await logIn(deps, body, {
          address: clientAddress,
          sessionClient: readSessionClient(context.req.raw.headers, clientAddress),
          knownBrowser: (passwordHash) => findKnownBrowser(deps, context, passwordHash),
          previousToken: readSessionToken(deps, context),
        })
        if ('unverified' in session) {
          setUnverifiedCookie(context, session.unverified)
          throw new AppError('EMAIL_NOT_VERIFIED')
        }
        setSessionCookies(deps, context, session)
        rememberBrowser(deps, context, session.passwordHash, session.knownBrowser)
        return publicUser(session.user)
      }),

    async forgotPassword({ body, clientAddress }) {
      await rateLimits.spend([counter('emailsByAddress', addressBlock(clientAddress))])
      const email = body.email.toLowerCase()
      // Every request takes one insert, whether or not the account exists, so timing reveals
      // nothing.
      await mailQueue.add({ kind: 'forgot-password', email, askedAt: clock().toISOString() })
      return {
        message: "If an account exists, we've sent password reset instructions to your email.",
      }
    },

    async resetPassword({ body, clientAddress }) {
      await rateLimits.spend([counter('resetsByAddress', addressBlock(clientAddress))])
      await resetPassword(deps, body, clientAddress)
      return { message: 'Password reset successful!' }
    },

    async checkResetToken({ body, clientAddress }) {
      await rateLimits.spend([counter('resetChecksByAddress', addressBlock(clientAddress))])
      return { isValid: (await findResetAccount(deps, body.token)) !== null }
    },

    currentUser: async ({ user }) => ({ ...publicUser(user), limits: await settings.limits() }),

    async logout({ context }) {
      // HEAD requests and requests from other sites, even from our subdomains, don't end the
      // session.
      if (context.req.method === 'GET' && !isCrossSite(context.req.raw.headers)) {
        const token = readSessionToken(deps, context)
        if (token !== null) await endSession(db, token)
        clearSessionCookies({ config }, context)
      }
      return context.redirect('/')
    },
  } satisfies Partial<Handlers>
}

/**
 * Returns the counter that limits how many emails one client can trigger to one email address.
 * Returns no counter if addresses don't have to be verified. Its limit is lower than the limit for
 * all clients together, so one client can't use up the emails that the address's owner needs.
 */
function createEmailCounters(
  { config, secret }: AuthDeps,
  email: string,
  client: string,
): Counter[] {
  if (!config.requireEmailVerification) return []
  const name = `${client} ${hashAccountEmail(secret, email)}`
  return [counter('signupEmailsByAccountAndAddress', name)]
}

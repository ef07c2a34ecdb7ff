import type { Context } from 'hono'
import type { Logger } from 'pino'
import { nextPath, withNext } from '../../../shared/rules/accounts/next-path.ts'
import type { SignInError } from '../../../shared/rules/accounts/sign-in-error.ts'
import type { GoogleSettings } from '../../config/google-settings.ts'
import type { Deps } from '../../deps.ts'
import { hasMailServer } from '../../email/create-mailer.ts'
import { AppError } from '../../errors.ts'
import { addressBlock } from '../../http/client-address.ts'
import type { HttpEnv } from '../../http/env.ts'
import { isCrossSite } from '../../http/hosts.ts'
import type { Handlers } from '../../http/mount.ts'
import { counter } from '../../http/rate-limit.ts'
import type { Session } from '../../http/session.ts'
import { requirePassword } from '../change-password.ts'
import { readSessionToken, setSessionCookies } from '../cookies.ts'
import { logPasswordErrors } from '../login-limits.ts'
import { readSessionClient } from '../sessions.ts'
import {
  completeRequest,
  type SignInPurpose,
  startRequest,
  type VerifiedAuthorization,
} from './authorization-request.ts'
import type { Issuer } from './issuer.ts'
import { linkGoogle, unlinkGoogle } from './link-google.ts'
import { listSignInWays } from './queries.ts'
import { joinMessages, SignInRejectedError, signInWithGoogle } from './sign-in.ts'

type GoogleDeps = Pick<
  Deps,
  'clock' | 'config' | 'db' | 'log' | 'mailQueue' | 'passwords' | 'rateLimits' | 'secret'
>

interface GoogleCall {
  clientAddress: string
  publicOrigin: string
  log: Logger
  context: Context<HttpEnv>
}

interface RouteOptions {
  /** Returns a request's session, or null if the visitor isn't signed in. */
  session(context: Context<HttpEnv>): Promise<Session | null>
}

const callbackPath = '/api/auth/callback/google'
const accountPath = '/account'

/**
 * The endpoints for signing in with Google and for linking and unlinking it (spec §2, 'Google' and
 * 'Account page').
 */
export function googleRoutes(deps: GoogleDeps, options: RouteOptions) {
  const { config, db, log } = deps
  const { google } = config
  let issuerPromise: Promise<Issuer> | undefined
  /** Loaded lazily, because the client library slows down startup and uses memory. */
  const openIssuer = (settings: GoogleSettings): Promise<Issuer> => {
    issuerPromise ??= import('./issuer.ts').then(({ Issuer }) => new Issuer(settings, log))
    // Let the next sign-in retry the import. It may have failed for lack of file descriptors.
    issuerPromise.catch(() => {
      issuerPromise = undefined
    })
    return issuerPromise
  }

  return {
    signInWays: () => ({
      google: google !== null,
      signup: config.signup,
      sendsMail: hasMailServer(config),
    }),

    async startSignIn(call) {
      const next = nextPath(call.query.next)
      // Google may sign the user in without a prompt. So a link on another site must not start a
      // sign-in, because that could replace the user's session.
      if (google === null || isCrossSite(call.context.req.raw.headers)) {
        return redirectTo(call, withNext('/login', next))
      }
      try {
        return redirectTo(
          call,
          await startAuthorization(deps, await openIssuer(google), call, { next, linkTo: null }),
        )
      } catch (error) {
        return redirectTo(call, loginPage(logSignInError(error, call), next))
      }
    },

    async googleCallback(call) {
      try {
        await deps.rateLimits.spend([
          counter('googleAnswersByAddress', addressBlock(call.clientAddress)),
        ])
        const request = await completeRequest(deps, call.context, readState(call))
        if (google === null || request === null) throw new SignInRejectedError('google-lost')
        return redirectTo(
          call,
          await completeAuthorization(deps, await openIssuer(google), call, {
            request,
            ...options,
          }),
        )
      } catch (error) {
        return redirectTo(call, loginPage(logSignInError(error, call), '/'))
      }
    },

    listOwnWays: ({ user }) => listSignInWays(db, user.id),

    async linkGoogle(call) {
      if (google === null) {
        throw new AppError('NOT_FOUND', {
          message: 'Google sign-in is not enabled on this server.',
        })
      }
      const { id: userId } = call.user
      await logPasswordErrors(call, () =>
        requirePassword(deps, userId, call.body.currentPassword, call),
      )
      await deps.rateLimits.spend([counter('googleChangesByUser', userId)])
      try {
        const purpose = { next: accountPath, linkTo: userId }
        return { url: await startAuthorization(deps, await openIssuer(google), call, purpose) }
      } catch (error) {
        if (!(error instanceof SignInRejectedError)) throw error
        logSignInError(error, call)
        throw new AppError('UNAVAILABLE', {
          message: 'Google cannot be reached right now. Please try again in a minute.',
          headers: { 'retry-after': '60' },
          cause: error,
        })
      }
    },

    async unlinkGoogle({ user, sessionId, clientAddress }) {
      await unlinkGoogle(deps, { userId: user.id, sessionId }, clientAddress)
      return { message: 'Google was removed from your account.' }
    },
  } satisfies Partial<Handlers>
}

/**
 * Starts an authorization request. Returns the issuer's URL, to which the browser is redirected.
 * @throws {AppError} TOO_MANY_REQUESTS
 * @throws {SignInRejectedError} google-away
 */
async function startAuthorization(
  deps: GoogleDeps,
  issuer: Issuer,
  { clientAddress, context, publicOrigin }: GoogleCall,
  purpose: SignInPurpose,
): Promise<string> {
  await deps.rateLimits.spend([counter('googleStartsByAddress', addressBlock(clientAddress))])
  const secrets = await startRequest(deps, context, purpose)
  const address = await issuer.signInUrl(secrets, `${publicOrigin}${callbackPath}`)
  return address.href
}

/** Signs the user in or links Google after the issuer's redirect. Returns the page to open next. */
async function completeAuthorization(
  deps: GoogleDeps,
  issuer: Issuer,
  call: GoogleCall,
  { request, session }: RouteOptions & { request: VerifiedAuthorization },
): Promise<string> {
  const { linkTo, next, secrets } = request
  const { context } = call
  try {
    const identity = await issuer.identify(getResponseUrl(call), secrets)
    if (linkTo === null) {
      const newSession = await signInWithGoogle(deps, identity, {
        address: call.clientAddress,
        sessionClient: readSessionClient(context.req.raw.headers, call.clientAddress),
        previousToken: readSessionToken(deps, context),
      })
      setSessionCookies(deps, context, newSession)
      return next
    }
    const currentSession = await session(context)
    if (currentSession?.user.id !== linkTo) throw new SignInRejectedError('google-signed-out')
    await linkGoogle(
      deps,
      { userId: linkTo, sessionId: currentSession.id },
      identity,
      call.clientAddress,
    )
    return `${accountPath}?linked=google`
  } catch (error) {
    const code = logSignInError(error, call)
    const isSignedIn = linkTo !== null && code !== 'google-signed-out'
    return isSignedIn ? `${accountPath}?fault=${code}` : loginPage(code, next)
  }
}

/**
 * Returns the `state` parameter of the issuer's redirect. If it is missing or repeated, returns an
 * empty string, which is never valid.
 */
function readState({ context }: GoogleCall): string {
  const states = new URL(context.req.url).searchParams.getAll('state')
  return states.length === 1 ? (states[0] ?? '') : ''
}

/**
 * Returns the URL of the issuer's redirect, with the origin that is registered with the issuer. The
 * request itself may show another origin because of a proxy.
 */
function getResponseUrl({ context, publicOrigin }: GoogleCall): URL {
  return new URL(`${callbackPath}${new URL(context.req.url).search}`, publicOrigin)
}

/**
 * Logs why a sign-in was rejected, except for rate limits. Returns the error code to show on the
 * page.
 */
function logSignInError(error: unknown, { clientAddress, log }: GoogleCall): SignInError {
  if (error instanceof SignInRejectedError) {
    const level = error.code === 'google-away' || error.code === 'google-failed' ? 'warn' : 'info'
    const reason = joinMessages(error)
    log[level]({ client: clientAddress, fault: error.code, reason }, 'a sign-in was refused')
    return error.code
  }
  if (error instanceof AppError && error.code === 'TOO_MANY_REQUESTS') return 'google-busy'
  log.error({ err: error }, 'a sign-in failed')
  return 'google-failed'
}

function loginPage(code: SignInError, next: string): string {
  const query = new URLSearchParams({ fault: code, ...(next !== '/' && { next }) })
  return `/login?${query}`
}

function redirectTo({ context }: GoogleCall, location: string): Response {
  context.header('cache-control', 'no-store')
  return context.redirect(location)
}

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { nanoid } from 'nanoid'
import { longestLifeMs } from '../../shared/rules/accounts/session-life.ts'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import type { Deps } from '../deps.ts'
import { sessionCookieName } from '../http/cookie-names.ts'
import type { HttpEnv } from '../http/env.ts'

type CookieDeps = Pick<Deps, 'auth' | 'clock' | 'config'>

/**
 * Returns the token in the request's session cookie. null: no cookie, or one with a wrong
 * signature.
 */
export async function readSessionToken(
  { auth, config }: Pick<Deps, 'auth' | 'config'>,
  context: Context<HttpEnv>,
): Promise<string | null> {
  const cookie = getCookie(context, sessionCookieName(config.appUrl))
  if (cookie === undefined) return null
  const { secret } = await auth.$context
  return verifiedToken(cookie, secret)
}

/**
 * Sets the cookie of a session, in the form that Better Auth reads. The cookie lasts until the
 * latest moment at which the session can end. So no later answer needs to set it again.
 *
 * Scripts cannot read this cookie. So there is a second one that they can read and that signs
 * nobody in. A page that does not find it need not ask who is signed in. Its value is different for
 * each session: a page that learns late that an older session has ended must not remove the second
 * cookie of a newer one.
 */
export async function setSessionCookies(
  { auth, clock, config }: CookieDeps,
  context: Context<HttpEnv>,
  session: { token: string; createdAt: Date },
): Promise<void> {
  const { secret } = await auth.$context
  const value = `${session.token}.${signature(session.token, secret)}`
  const endMs = session.createdAt.getTime() + longestLifeMs
  const maxAge = Math.floor((endMs - clock().getTime()) / 1000)
  writeCookies({ config }, context, { value, hint: nanoid(8), maxAge })
}

/**
 * Removes the session's cookies from the browser. The session itself stays until its row is
 * deleted.
 */
export function clearSessionCookies(
  { config }: Pick<Deps, 'config'>,
  context: Context<HttpEnv>,
): void {
  writeCookies({ config }, context, { value: '', hint: '', maxAge: 0 })
}

function writeCookies(
  { config }: Pick<Deps, 'config'>,
  context: Context<HttpEnv>,
  { value, hint, maxAge }: { value: string; hint: string; maxAge: number },
): void {
  const secure = config.appUrl.protocol === 'https:'
  const forAll = { path: '/', sameSite: 'Lax', secure, maxAge } as const
  setCookie(context, sessionCookieName(config.appUrl), value, { ...forAll, httpOnly: true })
  setCookie(context, signedInHint, hint, forAll)
}

/**
 * Returns the token in a session cookie if its signature is right, or else null. The signature is
 * HMAC-SHA-256 in base64, as Better Auth writes it.
 */
function verifiedToken(cookie: string, secret: string): string | null {
  const end = cookie.lastIndexOf('.')
  if (end === -1) return null
  const token = cookie.slice(0, end)
  const given = Buffer.from(cookie.slice(end + 1))
  const expected = Buffer.from(signature(token, secret))
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
}

/**
 * Computes the signature of a token, synchronously. Web Crypto would let it wait in the thread pool
 * behind work on files. That made small uploads a tenth slower.
 */
function signature(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('base64')
}

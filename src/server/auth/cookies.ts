import { createHmac } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { nanoid } from 'nanoid'
import { longestLifeMs } from '../../shared/rules/accounts/session-life.ts'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { cookiePrefix, sessionCookieName } from '../http/session.ts'
import { isSameText } from './secrets.ts'

type CookieDeps = Pick<Deps, 'config'>

/** Reads a cookie that `writeCookie` set. */
export function readCookie(
  { config }: CookieDeps,
  context: Context<HttpEnv>,
  name: string,
): string | undefined {
  return getCookie(context, `${cookiePrefix(config.appUrl)}.${name}`)
}

/**
 * Sets a cookie that scripts can't read and other sites can't send along with their own requests.
 * Over https it is bound to this host.
 */
export function writeCookie(
  { config }: CookieDeps,
  context: Context<HttpEnv>,
  name: string,
  value: string,
  maxAgeMs: number,
): void {
  setCookie(context, `${cookiePrefix(config.appUrl)}.${name}`, value, {
    httpOnly: true,
    // Not `Strict`: Google and links in emails lead here from other sites.
    sameSite: 'Lax',
    secure: config.appUrl.protocol === 'https:',
    path: '/',
    maxAge: Math.floor(maxAgeMs / 1000),
  })
}

/**
 * Returns the token in the request's session cookie; null without a cookie, or if its signature is
 * wrong.
 */
export function readSessionToken(
  { config, secret }: Pick<Deps, 'config' | 'secret'>,
  context: Context<HttpEnv>,
): string | null {
  const cookie = getCookie(context, sessionCookieName(config.appUrl)) ?? ''
  const end = cookie.lastIndexOf('.')
  if (end === -1) return null
  const token = cookie.slice(0, end)
  return isSameText(cookie.slice(end + 1), signature(token, secret)) ? token : null
}

/**
 * Sets the cookie of a session: its token, signed. It lasts until the latest end that the session
 * can have, so no later answer has to set it again.
 *
 * A second cookie tells scripts that somebody is signed in; it signs nobody in. Its value differs
 * for each session, so that a page which learns late that a session has ended doesn't remove the
 * hint of a newer one.
 */
export function setSessionCookies(
  deps: Pick<Deps, 'clock' | 'config' | 'secret'>,
  context: Context<HttpEnv>,
  session: { token: string; createdAt: Date },
): void {
  const value = `${session.token}.${signature(session.token, deps.secret)}`
  const endMs = session.createdAt.getTime() + longestLifeMs
  const maxAge = Math.floor((endMs - deps.clock().getTime()) / 1000)
  writeCookies(deps, context, { value, hint: nanoid(8), maxAge })
}

/** Removes the session's cookies from the browser. The session itself stays. */
export function clearSessionCookies(deps: Pick<Deps, 'config'>, context: Context<HttpEnv>): void {
  writeCookies(deps, context, { value: '', hint: '', maxAge: 0 })
}

function writeCookies(
  { config }: Pick<Deps, 'config'>,
  context: Context<HttpEnv>,
  { value, hint, maxAge }: { value: string; hint: string; maxAge: number },
): void {
  const secure = config.appUrl.protocol === 'https:'
  const options = { path: '/', sameSite: 'Lax', secure, maxAge } as const
  setCookie(context, sessionCookieName(config.appUrl), value, { ...options, httpOnly: true })
  setCookie(context, signedInHint, hint, options)
}

/** Signs a token, synchronously: Web Crypto would wait in the thread pool behind work on files. */
function signature(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('base64')
}

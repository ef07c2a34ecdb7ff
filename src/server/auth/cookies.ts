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
  const options = cookieOptions(config.appUrl, maxAgeMs)
  setCookie(context, `${cookiePrefix(config.appUrl)}.${name}`, value, options)
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
 * Sets the session's cookie: its token, signed. It lasts until the latest end that the session can
 * have, so no later answer has to set it again.
 *
 * A second cookie tells scripts that somebody is signed in. Its value differs for each session, so
 * that a page which learns late that a session has ended doesn't remove the hint of a newer one.
 */
export function setSessionCookies(
  deps: Pick<Deps, 'clock' | 'config' | 'secret'>,
  context: Context<HttpEnv>,
  { token, createdAt }: { token: string; createdAt: Date },
): void {
  const value = `${token}.${signature(token, deps.secret)}`
  const endMs = createdAt.getTime() + longestLifeMs
  writeSessionCookies(deps, context, value, nanoid(8), endMs - deps.clock().getTime())
}

/** Removes the session's cookies from the browser. The session itself stays. */
export function clearSessionCookies(deps: CookieDeps, context: Context<HttpEnv>): void {
  writeSessionCookies(deps, context, '', '', 0)
}

function writeSessionCookies(
  { config: { appUrl } }: CookieDeps,
  context: Context<HttpEnv>,
  value: string,
  hint: string,
  maxAgeMs: number,
): void {
  const options = cookieOptions(appUrl, maxAgeMs)
  setCookie(context, sessionCookieName(appUrl), value, options)
  setCookie(context, signedInHint, hint, { ...options, httpOnly: false })
}

function cookieOptions(appUrl: URL, maxAgeMs: number) {
  return {
    httpOnly: true,
    // Not `Strict`: Google and links in emails lead here from other sites.
    sameSite: 'Lax',
    secure: appUrl.protocol === 'https:',
    path: '/',
    maxAge: Math.floor(maxAgeMs / 1000),
  } as const
}

/** Signs a token, synchronously: Web Crypto would wait in the thread pool behind work on files. */
function signature(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('base64')
}

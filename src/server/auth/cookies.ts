import { createHmac } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { nanoid } from 'nanoid'
import { maxSessionAgeMs } from '../../shared/rules/accounts/session-lifetime.ts'
import { signedInHintCookie } from '../../shared/signed-in-hint.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { cookiePrefix, sessionCookieName } from '../http/session.ts'
import { isSameText } from './secrets.ts'

type CookieDeps = Pick<Deps, 'config'>

/** Reads a cookie set by `writeCookie`. */
export function readCookie(
  { config }: CookieDeps,
  context: Context<HttpEnv>,
  name: string,
): string | undefined {
  return getCookie(context, `${cookiePrefix(config.appUrl)}.${name}`)
}

/**
 * Sets a cookie that is hidden from scripts and not sent with cross-site requests. Over https it is
 * bound to this host.
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
 * Returns the token from the session cookie, or null if the cookie is missing or its signature is
 * wrong.
 */
export function readSessionToken(
  { config, secret }: Pick<Deps, 'config' | 'secret'>,
  context: Context<HttpEnv>,
): string | null {
  const cookie = getCookie(context, sessionCookieName(config.appUrl)) ?? ''
  const separatorIndex = cookie.lastIndexOf('.')
  if (separatorIndex === -1) return null
  const token = cookie.slice(0, separatorIndex)
  return isSameText(cookie.slice(separatorIndex + 1), sign(token, secret)) ? token : null
}

/**
 * Sets the session cookie, a signed token. It is valid for the maximum session lifetime, so it
 * never has to be set again.
 *
 * A second cookie tells scripts that the browser is signed in. Its value differs for each session,
 * so a page that is late to notice the end of its session can't clear a newer session's cookie.
 */
export function setSessionCookies(
  deps: Pick<Deps, 'clock' | 'config' | 'secret'>,
  context: Context<HttpEnv>,
  { token, createdAt }: { token: string; createdAt: Date },
): void {
  const signedToken = `${token}.${sign(token, deps.secret)}`
  const endMs = createdAt.getTime() + maxSessionAgeMs
  writeSessionCookies(deps, context, signedToken, nanoid(8), endMs - deps.clock().getTime())
}

/** Clears the session cookies in the browser. Doesn't end the session. */
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
  setCookie(context, signedInHintCookie, hint, { ...options, httpOnly: false })
}

function cookieOptions(appUrl: URL, maxAgeMs: number) {
  return {
    httpOnly: true,
    // Not `Strict`, because redirects from Google and links in emails are cross-site.
    sameSite: 'Lax',
    secure: appUrl.protocol === 'https:',
    path: '/',
    maxAge: Math.floor(maxAgeMs / 1000),
  } as const
}

/** Synchronous, because Web Crypto would queue in the thread pool behind file I/O. */
function sign(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('base64')
}

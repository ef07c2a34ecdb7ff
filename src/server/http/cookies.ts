import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import type { HttpEnv } from './env.ts'

/**
 * Returns the start of our cookies' names. Over https it contains `__Host-`: browsers then take the
 * cookie from this host only, and another site of the same domain cannot set it.
 * @param origin the public origin.
 */
export function cookiePrefix(origin: URL): string {
  return origin.protocol === 'https:' ? '__Host-mayfly' : 'mayfly'
}

/** Returns the name of the cookie that carries the session. */
export function sessionCookieName(origin: URL): string {
  return `${cookiePrefix(origin)}.session_token`
}

/**
 * Tells whether the browser has the cookie which hints that somebody is signed in. The cookie only
 * decides which page is shown. Permissions depend on the session.
 */
export function hasHint(context: Context<HttpEnv>): boolean {
  return Boolean(getCookie(context, signedInHint))
}

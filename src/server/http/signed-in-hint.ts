import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import type { HttpEnv } from './env.ts'

/**
 * Tells whether the browser has the cookie which hints that somebody is signed in. The cookie only
 * decides which page is shown. Permissions depend on the session.
 */
export function hasHint(context: Context<HttpEnv>): boolean {
  return Boolean(getCookie(context, signedInHint))
}

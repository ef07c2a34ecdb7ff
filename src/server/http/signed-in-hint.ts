import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import type { HttpEnv } from './env.ts'

/**
 * True if the browser has the cookie that hints that somebody is signed in. It only chooses which
 * page is shown. Whoever may do something is decided by the session.
 */
export function hasHint(context: Context<HttpEnv>): boolean {
  return Boolean(getCookie(context, signedInHint))
}

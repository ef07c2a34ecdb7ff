import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { tokenLifetimeMs } from '../../shared/rules/accounts/token-purpose.ts'
import type { Deps } from '../deps.ts'
import { cookiePrefix } from '../http/cookie-names.ts'
import type { HttpEnv } from '../http/env.ts'

const idPattern = /^[\w-]{1,64}$/

/**
 * Stores the id of a waiting signup or of an account in a cookie. When this browser asks for the
 * verification mail again, it gets the mail of exactly that signup or account. Without the id, it
 * would get the email of the newest signup of the address, which could be a stranger's. The id is
 * no secret, because the email goes to the address in any case.
 */
export function setUnverified(
  { config }: Pick<Deps, 'config'>,
  context: Context<HttpEnv>,
  id: string,
): void {
  setCookie(context, cookieName(config.appUrl), id, {
    secure: config.appUrl.protocol === 'https:',
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    maxAge: tokenLifetimeMs['verify-email'] / 1000,
  })
}

/**
 * Returns the id that `setUnverified` stored, or null if the cookie contains nothing like an id.
 */
export function readUnverified(
  { config }: Pick<Deps, 'config'>,
  context: Context<HttpEnv>,
): string | null {
  const id = getCookie(context, cookieName(config.appUrl))
  return id !== undefined && idPattern.test(id) ? id : null
}

function cookieName(origin: URL): string {
  return `${cookiePrefix(origin)}.unverified`
}

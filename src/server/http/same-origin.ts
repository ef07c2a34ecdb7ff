import { createMiddleware } from 'hono/factory'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses requests that change state and come from a page of another site. A browser always says
 * where such a request comes from; a client that says nothing (curl, a script) carries no cookie
 * that a stranger's page could ride on.
 */
export const sameOrigin = (appUrl: URL) =>
  createMiddleware<HttpEnv>(async (c, next) => {
    if (!safeMethods.has(c.req.method) && !isOurs(c.req.raw.headers, appUrl)) {
      throw new AppError('FOREIGN_ORIGIN')
    }
    await next()
  })

/**
 * True when the browser's word is that the request comes from our own pages: the public origin, or
 * the very host it was sent to (the server opened under another of its names).
 */
const isOurs = (headers: Headers, appUrl: URL): boolean => {
  const origin = headers.get('origin')
  if (origin === null) {
    const site = headers.get('sec-fetch-site')
    return site === null || site === 'same-origin' || site === 'none'
  }
  if (origin === appUrl.origin) return true
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  // Our cookies live under the public name. Its pages under another scheme may be anybody's: over
  // plain http whoever stands in between writes them.
  return host === headers.get('host') && host !== appUrl.host
}

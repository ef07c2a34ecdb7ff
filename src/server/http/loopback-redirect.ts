import { createMiddleware } from 'hono/factory'
import type { HttpEnv } from './env.ts'
import { isLoopback } from './served-hosts.ts'

/**
 * Redirects a browser that opened this machine by another loopback name (localhost for 127.0.0.1)
 * to the name in `appUrl`, because cookies and presigned URLs work only under that name. Only pages
 * are redirected, only from one loopback name to another, and only on the same port.
 */
export function loopbackRedirect(appUrl: URL) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const { host, accept } = c.env.incoming.headers
    // Nearly every request has the right name. So it passes before its URL is parsed, which would
    // cost more.
    if (host === appUrl.host || !accept?.includes('text/html')) return next()
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return next()
    const asked = new URL(c.req.url)
    const sameServer =
      isLoopback(appUrl.hostname) && isLoopback(asked.hostname) && asked.port === appUrl.port
    if (!sameServer || asked.hostname === appUrl.hostname) return next()
    return c.redirect(`${appUrl.origin}${asked.pathname}${asked.search}`, 302)
  })
}

import { createMiddleware } from 'hono/factory'
import type { HttpEnv } from './env.ts'
import { isLoopback } from './served-hosts.ts'

/**
 * Leads a browser that opened this machine under another of its names (localhost for 127.0.0.1) to
 * the one in `appUrl`: cookies and presigned URLs belong to one name. Only pages, only between two
 * loopback names, only on the same port; anything else is left alone.
 */
export function loopbackRedirect(appUrl: URL) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const { host, accept } = c.env.incoming.headers
    // Nearly every request comes by the right name: it is let through before its URL is parsed.
    if (host === appUrl.host || !accept?.includes('text/html')) return next()
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return next()
    const asked = new URL(c.req.url)
    const sameServer =
      isLoopback(appUrl.hostname) && isLoopback(asked.hostname) && asked.port === appUrl.port
    if (!sameServer || asked.hostname === appUrl.hostname) return next()
    return c.redirect(`${appUrl.origin}${asked.pathname}${asked.search}`, 302)
  })
}

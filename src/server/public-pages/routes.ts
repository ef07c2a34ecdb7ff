import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import type { PublicPlaceholder } from '../../shared/placeholders.ts'
import {
  type PublicPageName,
  previewPath,
  publicPages,
  sharePath,
} from '../../shared/public-pages.ts'
import { sendEarlyResponse } from '../http/early-response.ts'
import type { HttpEnv, ShowPage } from '../http/env.ts'
import { nameRoute } from '../http/request-context.ts'
import { hasSignedInHint } from '../http/session.ts'
import type { PublicPages } from './public-pages.ts'
import { robotsText, sitemapText } from './site-files.ts'

/** Reads the current values for the public pages. Never rejects. */
export type ReadValues = () => Promise<Record<PublicPlaceholder, string>>

/** The `Cache-Control` header of robots.txt and the sitemap. Robots may keep them for an hour. */
const siteFilesKept = 'public, max-age=3600'

/**
 * Answers with the public pages at their paths, and with robots.txt and the sitemap. A browser that
 * opens any other path gets the page that says that nothing is there.
 */
export function publicPageRoutes(
  pages: PublicPages,
  values: ReadValues,
  { origin }: URL,
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  for (const name of Object.keys(publicPages) as PublicPageName[]) {
    const { path } = publicPages[name]
    app.get(path, async (c) => {
      nameRoute(c.env.outgoing, path)
      return pages.send(c, name, await values(), 200)
    })
  }
  // Users who are signed in see the landing page at /preview (spec §2). For visitors, this path
  // does not exist.
  app.get(previewPath, async (c, next) => {
    nameRoute(c.env.outgoing, previewPath)
    return hasSignedInHint(c) ? pages.send(c, 'landing', await values(), 200) : next()
  })
  // When a phone gives files to the installed application, the application's service worker keeps
  // them in the browser. If it cannot keep them, it sends the browser to this path.
  app.get(sharePath, async (c) => {
    nameRoute(c.env.outgoing, sharePath)
    return pages.send(c, 'not-shared', await values(), 200)
  })
  app.get('/robots.txt', (c) => {
    nameRoute(c.env.outgoing, '/robots.txt')
    return c.text(robotsText(origin), 200, { 'cache-control': siteFilesKept })
  })
  app.get('/sitemap.xml', (c) => {
    nameRoute(c.env.outgoing, '/sitemap.xml')
    return c.body(sitemapText(origin), 200, {
      'content-type': 'application/xml; charset=utf-8',
      'cache-control': siteFilesKept,
    })
  })
  app.get('*', async (c, next) => {
    const isPage = c.req.header('accept')?.includes('text/html')
    if (!isPage || c.req.path.startsWith('/assets/')) return next()
    return pages.send(c, 'not-found', await values(), 404)
  })
  return app
}

/**
 * Returns a function that answers a request with one of the public pages. The API uses it where a
 * browser asks: a person should see a page, not JSON.
 */
export function pageShower(pages: PublicPages, values: ReadValues): ShowPage {
  return async (context, name, answer) => {
    if (answer === undefined) return pages.send(context, name, await values(), 200)
    const { status, reason = '', headers } = answer
    const page = pages.text(context, name, { ...(await values()), fault: reason })
    return context.body(page.html, status, {
      ...page.headers,
      'cache-control': 'no-store',
      ...headers,
    })
  }
}

/**
 * Answers when a phone shares files with the installed application while the service worker is
 * missing. Normally the worker stores the shared files in the browser. Without it, the browser
 * sends them here, although the user has not agreed to upload them. So the server does not read
 * them, and answers with a page that says what to do.
 */
export function shareRoute(pages: PublicPages, values: ReadValues): Hono<HttpEnv> {
  return new Hono<HttpEnv>().post(sharePath, async (c) => {
    const { html, headers } = pages.text(c, 'not-shared', await values())
    const { incoming, outgoing } = c.env
    nameRoute(outgoing, sharePath)
    await sendEarlyResponse(incoming, outgoing, {
      status: 200,
      headers: { ...headers, 'cache-control': 'no-store' },
      body: html,
    })
    return RESPONSE_ALREADY_SENT
  })
}

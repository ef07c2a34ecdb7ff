import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import {
  type PublicPageName,
  previewPath,
  publicPages,
  sharePath,
} from '../../shared/public-pages.ts'
import type { PublicSlot } from '../../shared/public-slots.ts'
import type { HttpEnv } from '../http/env.ts'
import { answerUnread } from '../http/refusal.ts'
import type { ShowPage } from '../http/show-page.ts'
import { hasHint } from '../http/signed-in-hint.ts'
import type { PublicPages } from './public-pages.ts'
import { robotsText, sitemapText } from './site-files.ts'

/** Reads what the public pages say of this server now. Never rejects. */
export type ReadValues = () => Promise<Record<PublicSlot, string>>

/** How long search engines and other robots keep robots.txt and the sitemap. */
const siteFilesKept = 'public, max-age=3600'

/** The public pages at their paths, robots.txt, the sitemap, and the page for every other path. */
export function publicPageRoutes(
  pages: PublicPages,
  values: ReadValues,
  { origin }: URL,
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  for (const name of Object.keys(publicPages) as PublicPageName[]) {
    app.get(publicPages[name].path, async (c) => pages.send(c, name, await values(), 200))
  }
  // Spec §2: signed in, /preview is the landing page. For visitors it is a path like any other.
  app.get(previewPath, async (c, next) =>
    hasHint(c) ? pages.send(c, 'landing', await values(), 200) : next(),
  )
  // The service worker leads here when it could not keep what was shared.
  app.get(sharePath, async (c) => pages.send(c, 'not-shared', await values(), 200))
  app.get('/robots.txt', (c) => c.text(robotsText(origin), 200, { 'cache-control': siteFilesKept }))
  app.get('/sitemap.xml', (c) =>
    c.body(sitemapText(origin), 200, {
      'content-type': 'application/xml; charset=utf-8',
      'cache-control': siteFilesKept,
    }),
  )
  app.get('*', async (c, next) => {
    const isPage = c.req.header('accept')?.includes('text/html')
    if (!isPage || c.req.path.startsWith('/assets/')) return next()
    return pages.send(c, 'not-found', await values(), 404)
  })
  return app
}

/** Returns the function by which calls of the API answer with a page. */
export function pageShower(pages: PublicPages, values: ReadValues): ShowPage {
  return async (context, name, answer) => {
    if (answer === undefined) return pages.send(context, name, await values(), 200)
    const { status, fault = '', headers } = answer
    const page = pages.text(context, name, { ...(await values()), fault })
    return context.body(page.html, status, {
      ...page.headers,
      'cache-control': 'no-store',
      ...headers,
    })
  }
}

/**
 * Answers what a phone shares with the installed application while its service worker is missing. The
 * worker keeps shared files in the browser. Without it the browser sends them here, although nobody
 * has said that they may be uploaded. So they are not read, and a page says what to do.
 */
export function shareRoute(pages: PublicPages, values: ReadValues): Hono<HttpEnv> {
  return new Hono<HttpEnv>().post(sharePath, async (c) => {
    const { html, headers } = pages.text(c, 'not-shared', await values())
    const { incoming, outgoing } = c.env
    await answerUnread(incoming, outgoing, {
      status: 200,
      headers: { ...headers, 'cache-control': 'no-store' },
      body: html,
    })
    return RESPONSE_ALREADY_SENT
  })
}

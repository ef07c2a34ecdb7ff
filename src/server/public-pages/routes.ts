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
import type { HttpEnv, PageResponder } from '../http/env.ts'
import { nameRoute } from '../http/request-context.ts'
import { hasSignedInHint } from '../http/session.ts'
import type { PublicPages } from './public-pages.ts'

/** Reads the current values for the public pages. Never rejects. */
export type ReadValues = () => Promise<Record<PublicPlaceholder, string>>

const siteFilesCacheControl = 'public, max-age=3600'

/** Serves the public pages, robots.txt, the sitemap, and a not-found page for unknown paths. */
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
  // Only for signed-in users (spec §2).
  app.get(previewPath, async (c, next) => {
    nameRoute(c.env.outgoing, previewPath)
    return hasSignedInHint(c) ? pages.send(c, 'landing', await values(), 200) : next()
  })
  // The service worker redirects here if it couldn't store shared files.
  app.get(sharePath, async (c) => {
    nameRoute(c.env.outgoing, sharePath)
    return pages.send(c, 'not-shared', await values(), 200)
  })
  // Without the service worker, phones send shared files here. The server doesn't read them,
  // because the user hasn't agreed to upload them.
  app.post(sharePath, async (c) => {
    const { incoming, outgoing } = c.env
    nameRoute(outgoing, sharePath)
    const { html, headers } = pages.text(c, 'not-shared', await values())
    const noStoreHeaders = { ...headers, 'cache-control': 'no-store' }
    await sendEarlyResponse(incoming, outgoing, {
      status: 200,
      headers: noStoreHeaders,
      body: html,
    })
    return RESPONSE_ALREADY_SENT
  })
  app.get('/robots.txt', (c) => {
    nameRoute(c.env.outgoing, '/robots.txt')
    return c.text(robotsText(origin), 200, { 'cache-control': siteFilesCacheControl })
  })
  app.get('/sitemap.xml', (c) => {
    nameRoute(c.env.outgoing, '/sitemap.xml')
    return c.body(sitemapText(origin), 200, {
      'content-type': 'application/xml; charset=utf-8',
      'cache-control': siteFilesCacheControl,
    })
  })
  app.get('*', async (c, next) => {
    const isPage = c.req.header('accept')?.includes('text/html')
    if (!isPage || c.req.path.startsWith('/assets/')) return next()
    return pages.send(c, 'not-found', await values(), 404)
  })
  return app
}

/** Returns a function that responds to a browser's navigation with a public page. */
export function makePageResponder(pages: PublicPages, values: ReadValues): PageResponder {
  return async (context, name, response) => {
    if (response === undefined) return pages.send(context, name, await values(), 200)
    const { status, reason = '', headers } = response
    const page = pages.text(context, name, { ...(await values()), error: reason })
    return context.body(page.html, status, {
      ...page.headers,
      'cache-control': 'no-store',
      ...headers,
    })
  }
}

/** Paths that no crawler may request. */
const alwaysDisallowedPaths = ['/api/', '/storage/']

/** Crawlers for chat previews, and for search engines that obey noindex. */
const previewCrawlers = [
  'Applebot',
  'bingbot',
  'Discordbot',
  'DuckDuckBot',
  'facebookexternalhit',
  'Googlebot',
  'LinkedInBot',
  'Pinterestbot',
  'redditbot',
  'Slackbot',
  'TelegramBot',
  'Twitterbot',
  'WhatsApp',
  'YandexBot',
]

/**
 * Returns robots.txt (RFC 9309). Search engines that obey `noindex` may crawl the pages of links,
 * because that is the only way they see `noindex`. Otherwise they could still list the URLs.
 */
function robotsText(origin: string): string {
  const formatGroup = (agents: readonly string[], paths: readonly string[]) =>
    [
      ...agents.map((agent) => `User-agent: ${agent}`),
      ...paths.map((path) => `Disallow: ${path}`),
    ].join('\n')
  return `${[
    formatGroup(['*'], [...alwaysDisallowedPaths, '/s/', '/r/', '/download/']),
    formatGroup(previewCrawlers, alwaysDisallowedPaths),
    `Sitemap: ${origin}/sitemap.xml`,
  ].join('\n\n')}\n`
}

function sitemapText(origin: string): string {
  const urls = Object.values(publicPages).map(
    ({ path }) => `  <url><loc>${origin}${path}</loc></url>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`
}

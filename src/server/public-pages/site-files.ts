import { publicPages } from '../../shared/public-pages.ts'

/** What no robot needs: calls of the API, and bytes. */
const never = ['/api/', '/storage/']

/**
 * The robots that may open a link: those that fetch previews for chats, and those of search engines
 * that obey `noindex`. They are named as robots.txt wants it, by the first word of their user agent.
 */
const mayOpenLinks = [
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
 * robots.txt (RFC 9309). Links to files are not for robots. Every answer about a link also says
 * `noindex`, which a robot can read only if it may open the link. A search engine that may not open
 * it could still list its address. So some robots may open links.
 */
export function robotsText(origin: string): string {
  const group = (agents: readonly string[], paths: readonly string[]) =>
    [
      ...agents.map((agent) => `User-agent: ${agent}`),
      ...paths.map((path) => `Disallow: ${path}`),
    ].join('\n')
  return `${[
    group(['*'], [...never, '/s/', '/download/']),
    group(mayOpenLinks, never),
    `Sitemap: ${origin}/sitemap.xml`,
  ].join('\n\n')}\n`
}

/** The sitemap (sitemaps.org): every public page. `origin` is made by `URL`, so it needs no escapes. */
export function sitemapText(origin: string): string {
  const urls = Object.values(publicPages).map(
    ({ path }) => `  <url><loc>${origin}${path}</loc></url>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`
}

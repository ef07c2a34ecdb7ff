import { publicPages } from '../../shared/public-pages.ts'

/** Paths that are of no use to any robot: calls of the API, and bytes of files. */
const never = ['/api/', '/storage/']

/**
 * The robots that may open links to files: those that fetch previews for chats, and those of search
 * engines that obey `noindex`. In robots.txt, the first word of the user agent names a robot.
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
 * Returns the text of robots.txt (RFC 9309). Robots should not list links to files, so every answer
 * about a link says `noindex`. A robot sees that only if it may open the link. A search engine that
 * may not open a link could still list its address. So the robots in `mayOpenLinks` may open links.
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

/**
 * Returns the sitemap with every public page (sitemaps.org). `URL` has made `origin`, so it needs
 * no escapes.
 */
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

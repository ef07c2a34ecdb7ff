/**
 * How the fetchers of chat previews and search engines name themselves. Each name is one that no
 * browser carries: in-app browsers say FBAN, LinkedInApp or [Pinterest/iOS], and a mere "bot"
 * would take a Cubot telephone for a robot.
 */
const robots = [
  'facebookexternalhit',
  'facebookcatalog',
  'meta-externalagent',
  'Facebot',
  'Twitterbot',
  'Slackbot',
  'Slack-ImgProxy',
  'Discordbot',
  '^WhatsApp/',
  'TelegramBot',
  'LinkedInBot',
  'SkypeUriPreview',
  'Snap URL Preview',
  '^Viber/',
  'Mattermost-Bot',
  'RocketChat',
  'Synapse \\(bot',
  'Applebot',
  'Googlebot',
  'Google-InspectionTool',
  'Google-PageRenderer',
  'GoogleOther',
  'bingbot',
  'BingPreview',
  'DuckDuckBot',
  'YandexBot',
  'Baiduspider',
  'redditbot',
  'Pinterestbot',
  '^Pinterest/',
  'Embedly',
  'Iframely',
  'vkShare',
  'Tumblr/',
  'Mastodon/',
  'Misskey/',
  'Pleroma',
  'Akkoma',
  'Friendica',
  'Bluesky Cardyb',
]

const robot = new RegExp(robots.join('|'), 'i')

/**
 * True for what fetches a page to show a preview or to index it. Such a one gets the page and
 * never the bytes. Command-line clients (curl, wget, aria2, scripts) are not robots: they download.
 */
export function isPreviewRobot(userAgent: string | undefined): boolean {
  return userAgent !== undefined && robot.test(userAgent)
}

/**
 * Names of programs that fetch pages for previews in chats or for a search index. No browser has
 * any of these names in its user agent. In-app browsers have similar names: FBAN, LinkedInApp or
 * [Pinterest/iOS]. A mere "bot" would also match a telephone called Cubot.
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
 * True for a program that fetches a page to show a preview or to index it. Such a program gets the
 * page and never the bytes of the file. Command-line clients (curl, wget, aria2, scripts) are not
 * robots, because they download files.
 */
export function isPreviewRobot(userAgent: string | undefined): boolean {
  return userAgent !== undefined && robot.test(userAgent)
}

/**
 * Names of programs that fetch pages for chat previews or search indexes. No browser's user agent
 * contains any of them, although those of in-app browsers contain similar names, such as FBAN,
 * LinkedInApp or [Pinterest/iOS]. A plain "bot" isn't listed, because it would match a phone named
 * Cubot.
 */
const botNames = [
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

const botPattern = new RegExp(botNames.join('|'), 'i')

/**
 * True for programs that fetch pages for previews or search indexes. They get the page, but never
 * the file. Command-line clients such as curl, wget and aria2 aren't included, because they are
 * used to download files.
 */
export function isPreviewBot(userAgent: string | undefined): boolean {
  return userAgent !== undefined && botPattern.test(userAgent)
}

/**
 * Names of programs that fetch pages for chat previews or search indexes. No browser has these in
 * its user agent, but in-app browsers have similar ones: FBAN, LinkedInApp or [Pinterest/iOS]. A
 * plain "bot" would also match a phone named Cubot.
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
 * the file. Command-line clients (curl, wget, aria2, scripts) aren't included, because they
 * download files.
 */
export function isPreviewBot(userAgent: string | undefined): boolean {
  return userAgent !== undefined && botPattern.test(userAgent)
}

import { describe, expect, it } from 'vitest'
import { renderBuiltPage } from '../../../tests/support/built-page.ts'
import { attributeOf, type ParsedPage, parsePage, textOf } from '../../../tests/support/html.ts'
import type { BuiltPage } from '../../shared/public-pages.ts'

async function renderPage(name: BuiltPage, env: Record<string, string>): Promise<ParsedPage> {
  return parsePage(await renderBuiltPage(name, env))
}

/** Returns the text of a page's `main` element, with whitespace collapsed. */
async function readMainText(name: BuiltPage, env: Record<string, string>): Promise<string> {
  return textOf((await renderPage(name, env)).findOne('main')).replaceAll(/\s+/g, ' ')
}

const httpsEnv = { APP_URL: 'https://files.example.org' }
const smtpEnv = { SMTP_URL: 'smtp://mail.example.org' }
const google = { GOOGLE_CLIENT_ID: 'a', GOOGLE_CLIENT_SECRET: 'b' }
const bucket = {
  S3_BUCKET: 'mayfly',
  S3_ENDPOINT: 'http://10.0.0.7:9000',
  S3_PUBLIC_ENDPOINT: 'https://s3.example.org',
  S3_ACCESS_KEY_ID: 'a',
  S3_SECRET_ACCESS_KEY: 'b',
}

describe('the texts match a server', () => {
  it.each([
    ['without HTTPS', {}, 'this server uses plain HTTP', 'this server uses HTTPS'],
    ['with HTTPS', httpsEnv, 'this server uses HTTPS', 'plain HTTP'],
    ['with open signup', {}, 'with your name, an email address and a password', 'Other addresses'],
    [
      'with closed signup',
      { SIGNUP: 'closed' },
      'the administrator creates accounts',
      'Other addresses',
    ],
    [
      'with signup for two domains',
      { SIGNUP: 'example.org,example.com' },
      'with an email address at example.org or example.com and',
      'the administrator creates accounts',
    ],
    [
      'with email verification',
      { REQUIRE_EMAIL_VERIFICATION: 'on', ...smtpEnv },
      'An email asks you to confirm the address. Its link works for 24 hours.',
      'Google account',
    ],
    [
      'with email verification but no mail server',
      { REQUIRE_EMAIL_VERIFICATION: 'on' },
      'This server doesn’t send email: ask the operator of this server for it. Its link works for 24 hours.',
      'An email asks you',
    ],
    [
      'without a mail server: a forgotten password',
      {},
      'This server doesn’t send email: ask the operator of this server for the email with the link to set a new one. The link works once, for 1 hour.',
      'You get an email with',
    ],
    [
      'with a mail server: a forgotten password',
      smtpEnv,
      'You get an email with a link to set a new one. The link works once, for 1 hour.',
      'doesn’t send email',
    ],
    [
      'without a mail server: the trial',
      {},
      'shows the days left. Afterwards the account is Free again.',
      'Emails remind you',
    ],
    [
      'with a mail server: the trial',
      smtpEnv,
      'shows the days left. Emails remind you before it ends. Afterwards',
      'doesn’t send email',
    ],
    [
      'without a mail server: the File Manager',
      {},
      'the default expiry for new uploads.',
      'whether you get an email',
    ],
    [
      'with a mail server: the File Manager',
      smtpEnv,
      'new uploads, and whether you get an email at the first download of a file and a day before a link expires.',
      'new uploads.',
    ],
    ['without Google', {}, 'Sign up', 'Google'],
    ['with Google', google, 'You can also sign in with your Google account', 'An email asks'],
    [
      'with content blocking',
      {},
      'refuses content that was taken down before',
      'Nobody looks into files, and no program does',
    ],
  ])('%s: the FAQ', async (_, env, expected, unexpectedText) => {
    const text = await readMainText('faq', env)
    expect(text).toContain(expected)
    expect(text).not.toContain(unexpectedText)
  })

  it.each([
    ['with disk storage', {}, 'Files are on the disk of this server.', 'storage service'],
    [
      'with a bucket',
      { ...httpsEnv, ...bucket },
      's3.example.org keeps the files',
      'Files are on the disk',
    ],
    [
      'with a bucket on AWS',
      { S3_BUCKET: 'mayfly', S3_REGION: 'eu-central-1' },
      'Amazon S3 (eu-central-1) keeps the files',
      'Files are on the disk',
    ],
    ['without a mail server', {}, 'This server has no mail service', 'The mail service'],
    ['with a mail server', smtpEnv, 'The mail service', 'has no mail service'],
    [
      'without a mail server: emails',
      {},
      'counted for 24 hours. The emails in the folder stay until the operator removes them.',
      'and not kept',
    ],
    [
      'with a mail server: emails',
      smtpEnv,
      'written when the email is sent and not kept.',
      'emails in the folder',
    ],
    ['without a mail server: feedback', {}, 'message, and when.Kept', 'emailed to support'],
    [
      'with a mail server: feedback',
      smtpEnv,
      'It is usually emailed to support too.',
      'has no mail service',
    ],
    [
      'with a mail server: reports',
      smtpEnv,
      'owner. It is also emailed to support. The owner',
      'no mail service',
    ],
    ['without Google', {}, 'Nobody else', 'Google'],
    ['with Google', google, 'mayfly.google', 'mayfly.unverified'],
    [
      'with email verification',
      { REQUIRE_EMAIL_VERIFICATION: 'on' },
      'mayfly.unverified',
      'Google',
    ],
    ['with HTTPS', httpsEnv, '__Host-mayfly.session_token', 'plain HTTP'],
    ['without HTTPS', {}, 'mayfly.session_token', '__Host-'],
  ])('%s: the privacy policy', async (_, env, expected, unexpectedText) => {
    const text = await readMainText('privacy', env)
    expect(text).toContain(expected)
    expect(text).not.toContain(unexpectedText)
  })

  it.each([
    ['without a mail server', {}, 'This server doesn’t send email.', 'by email'],
    ['with a mail server', smtpEnv, 'The owner is told the reason by email.', 'doesn’t send email'],
  ])('%s: the terms', async (_, env, expected, unexpectedText) => {
    const text = await readMainText('terms', env)
    expect(text).toContain(expected)
    expect(text).not.toContain(unexpectedText)
    expect(text).toContain('content is blocked. Th')
  })
})

describe('without a support address', () => {
  const emailEnv = { SUPPORT_EMAIL: 'help@example.org', PRIVACY_EMAIL: 'data@example.org' }
  const missingEmailText = 'This server has no support email yet.'

  it.each(['faq', 'feedback', 'privacy', 'terms'] as const)(
    'the page %s says so once, and links to the feedback form',
    async (name) => {
      const text = await readMainText(name, {})
      expect(text.split(missingEmailText)).toHaveLength(2)
      expect(text.split('@127.0.0.1').length - 1).toBe(name === 'feedback' ? 1 : 2)
      const pageText = await readMainText(name, emailEnv)
      expect(pageText).not.toContain(missingEmailText)
      expect(pageText).toContain('help@example.org')
    },
  )
})

describe('with signup closed', () => {
  const closedSignupEnv = { SIGNUP: 'closed' }

  it.each(['landing', 'faq', 'feedback', 'privacy', 'terms'] as const)(
    'the page %s has no link to the signup',
    async (name) => {
      const fetchLinks = async (env: Record<string, string>) =>
        (await renderPage(name, env)).findAll('a').map((a) => attributeOf(a, 'href'))
      expect(await fetchLinks(closedSignupEnv)).not.toContain('/signup')
      expect(await fetchLinks(closedSignupEnv)).toContain('/login')
      expect(await fetchLinks({})).toContain('/signup')
    },
  )

  it('the landing page names the email address for requesting an account', async () => {
    const env = { ...closedSignupEnv, SUPPORT_EMAIL: 'help@example.org' }
    expect(await readMainText('landing', env)).toContain(
      'Signup is closed. To get an account, write to help@example.org.',
    )
    expect(await readMainText('landing', {})).not.toContain('Signup is closed')
  })
})

it.each([
  [{}, '/signup', 'Sign up to send it', 'until you have signed up.'],
  [{ SIGNUP: 'example.org' }, '/signup', 'Sign up to send it', 'until you have signed up.'],
  [{ SIGNUP: 'closed' }, '/login', 'Sign in to send it', 'until you have signed in.'],
])(
  'with %j, dropping files on the landing page leads to %s',
  async (env, path, expectedText, waitsUntil) => {
    const page = await renderPage('landing', env)
    const nextLink = page.findOne('a', { id: 'go-on' })
    expect(attributeOf(nextLink, 'href')).toBe(path)
    expect(textOf(nextLink)).toBe(expectedText)
    expect(textOf(page.findOne('p', { id: 'drop-text' }))).toBe(
      `It waits in this browser ${waitsUntil}`,
    )
  },
)

it('the landing page lists the domains that can sign up', async () => {
  const env = { SIGNUP: 'example.org,example.com' }
  const expected = 'Only email addresses at example.org or example.com can sign up here.'
  expect(await readMainText('landing', env)).toContain(expected)
  expect(await readMainText('landing', {})).not.toContain('Only email addresses at')
})

describe('the login and the signup', () => {
  it.each(['login', 'signup'] as const)(
    '%s offers Google only if it is configured',
    async (name) => {
      const countGoogleLinks = async (env: Record<string, string>) =>
        (await renderPage(name, env))
          .findAll('a')
          .filter((a) => attributeOf(a, 'href') === '/api/login').length
      expect(await countGoogleLinks(google)).toBe(1)
      expect(await countGoogleLinks({})).toBe(0)
    },
  )

  it.each([
    [{}, 'No account yet? Sign up: it is free.'],
    [{ SIGNUP: 'closed' }, 'To get to your files and links.'],
  ])('with %j, the login says %j', async (env, text) => {
    expect(await readMainText('login', env)).toContain(text)
  })

  it('the signup names the domains that can sign up', async () => {
    const text = 'Only addresses of example.org or example.com can sign up here.'
    expect(await readMainText('signup', { SIGNUP: 'example.org, example.com' })).toContain(text)
    expect(await readMainText('signup', {})).not.toContain('Only addresses')
  })

  it('say whom to ask for an email that the server cannot send', async () => {
    const note = "This server doesn't send email. Write to help@example.org for the link."
    const env = { SUPPORT_EMAIL: 'help@example.org' }
    expect(await readMainText('signup', env)).toContain(note)
    expect(await readMainText('signup', { ...env, ...smtpEnv })).not.toContain('send email')
  })
})

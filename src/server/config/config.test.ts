import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ConfigError, readConfig, readEnvironment } from './config.ts'

function findProblems(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('defaults', () => {
  test('an empty environment is valid', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      appUrl: new URL('http://127.0.0.1:3000'),
      appUrlIsSet: false,
      dataDir: resolve('data'),
      databaseUrl: null,
      s3: null,
      adminEmail: 'admin@localhost.localdomain',
      adminPassword: null,
      authSecret: null,
      google: null,
      supportEmail: 'support@127.0.0.1',
      privacyEmail: 'privacy@127.0.0.1',
      supportReceivesEmail: false,
      privacyReceivesEmail: false,
      rateLimits: true,
      minFreeSpace: null,
      drainMs: 0,
      trustedProxies: null,
      requireEmailVerification: false,
      signup: 'open',
      smtpUrl: null,
      mailFrom: 'Mayfly <support@127.0.0.1>',
      logLevel: 'info',
      logFormat: null,
      nginxLocation: null,
      metricsToken: null,
    })
  })

  test('an empty value counts as unset', () => {
    expect(readConfig({ PORT: '', ADMIN_PASSWORD: '', APP_URL: '', S3_BUCKET: '' })).toEqual(
      readConfig({}),
    )
  })

  test.each([
    [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://localhost:8080'],
    [{ HOST: '::', PORT: '80' }, 'http://localhost'],
    [{ HOST: '::1' }, 'http://[::1]:3000'],
    [{ HOST: 'files.lan' }, 'http://files.lan:3000'],
    [{ HOST: '0.0.0.0', APP_URL: 'https://Files.Example.org/' }, 'https://files.example.org'],
  ])('the origin of %j is %s', (environment, origin) => {
    expect(readConfig(environment).appUrl.origin).toBe(origin)
  })

  test('the contact addresses default to the public host', () => {
    const config = readConfig({ APP_URL: 'https://x.org:444', PRIVACY_EMAIL: 'Dpo@X.org' })
    expect(config.supportEmail).toBe('support@x.org')
    expect(config.privacyEmail).toBe('dpo@x.org')
  })

  test.each([
    [{}, false],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '::1' }, false],
    [{ APP_URL: 'http://10.0.0.5:3000' }, false],
    [{ APP_URL: 'http://[2001:db8::1]:3000' }, false],
    [{ APP_URL: 'https://files.example.org' }, true],
    [{ SUPPORT_EMAIL: 'help@example.org', PRIVACY_EMAIL: 'data@example.org' }, true],
  ])('with %j, the contact addresses receive email: %s', (environment, receivesEmail) => {
    const { supportReceivesEmail, privacyReceivesEmail } = readConfig(environment)
    expect([supportReceivesEmail, privacyReceivesEmail]).toEqual([receivesEmail, receivesEmail])
  })

  test('a configured address receives email on any host', () => {
    const config = readConfig({ SUPPORT_EMAIL: 'help@example.org' })
    expect([config.supportReceivesEmail, config.privacyReceivesEmail]).toEqual([true, false])
  })
})

describe('validation', () => {
  test('lists all problems, each with its remedy', () => {
    const problems = findProblems({
      PORT: '65536',
      HOST: 'not a host',
      APP_URL: 'https://example.org/files',
      ADMIN_EMAIL: 'admin',
      RATE_LIMITS: 'no',
      MIN_FREE_SPACE: '10 %',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
    })
    expect(problems).toEqual([
      'PORT is "65536": give a whole number from 1 to 65535, or unset it for 3000',
      'HOST is "not a host": give an IP address or a host name, or unset it for 127.0.0.1',
      'APP_URL is "https://example.org/files": give an origin without a path, such as https://files.example.org',
      'ADMIN_EMAIL is "admin": give an email address, or unset it',
      'RATE_LIMITS is "no": write on or off, or unset it for on',
      'MIN_FREE_SPACE is "10 %": give a size such as 512MiB, or 0, or unset it for the larger of 2 % and 512 MiB',
      'LOG_LEVEL is "loud": write one of fatal, error, warn, info, debug, trace, silent, or unset it for info',
      'LOG_FORMAT is "xml": write readable or json, or unset it',
    ])
  })

  test.each(['0', '-1', '3000.5', '1e3', ' 3000', '0x10', '99999', 'http'])(
    'rejects PORT %j',
    (PORT) => {
      expect(findProblems({ PORT })).toHaveLength(1)
    },
  )

  test.each([
    'example.org',
    'ftp://example.org',
    'https://user:pass@example.org',
    'https://example.org/?a=1',
    'https://example.org/#a',
    'javascript:alert(1)',
  ])('rejects APP_URL %j', (APP_URL) => {
    expect(findProblems({ APP_URL })).toHaveLength(1)
  })

  test.each(['short', 'with a space in it, and long enough', 'zwölf-und-noch-mehr-zeichen'])(
    'rejects METRICS_TOKEN %j without repeating it',
    (METRICS_TOKEN) => {
      expect(findProblems({ METRICS_TOKEN })).toEqual([
        expect.stringMatching(/^METRICS_TOKEN cannot be used: give at least 16/),
      ])
      expect(findProblems({ METRICS_TOKEN }).join()).not.toContain(METRICS_TOKEN)
    },
  )

  test.each([
    ['SMTP_URL', 'mail.example.org'],
    ['SMTP_URL', 'https://mail.example.org'],
    ['SMTP_URL', 'smtp://'],
    ['MAIL_FROM', 'Mayfly'],
    ['MAIL_FROM', 'Mayfly <no address>'],
    ['MAIL_FROM', 'Mayfly <a@example.org>, Eve <e@example.net>'],
    ['MAIL_FROM', 'Mayfly\r\nBcc: e@example.net <a@example.org>'],
  ])('rejects %s with the value %j', (name, value) => {
    expect(findProblems({ [name]: value })).toEqual([expect.stringMatching(`^${name} `)])
  })

  test.each([
    'support@example.org',
    '<support@example.org>',
    'Mayfly <support@example.org>',
    'Die Eintagsfliege GmbH <support@example.org>',
  ])('accepts %j as the email sender', (MAIL_FROM) => {
    expect(readConfig({ MAIL_FROM }).mailFrom).toBe(MAIL_FROM)
  })

  test('never shows secrets', () => {
    const secrets = {
      S3_SECRET_ACCESS_KEY: 'opensesame',
      ADMIN_PASSWORD: 'hush',
      AUTH_SECRET: 'tooshort',
      DATABASE_URL: 'mysql://me:swordfish@db',
    }
    const problems = findProblems(secrets)
    expect(problems).toHaveLength(4)
    expect(problems.join()).not.toMatch(/hush|tooshort|swordfish|opensesame/)
  })
})

test('a database URL can name a host or a socket', () => {
  const urls = ['postgres://u:p@h:5433/d?sslmode=require', 'postgresql:///d?host=/run/postgresql']
  for (const url of urls) expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url)
})

describe('SIGNUP', () => {
  test.each([
    [undefined, 'open'],
    ['open', 'open'],
    ['Closed', 'closed'],
    ['example.org', ['example.org']],
    ['Example.org , mail.example.com', ['example.org', 'mail.example.com']],
  ])('%j is %j', (SIGNUP, policy) => {
    expect(readConfig({ SIGNUP }).signup).toEqual(policy)
  })

  test.each([
    'off',
    'open,closed',
    'open,example.org',
    'ada@example.org',
    '@example.org',
    '*.example.org',
    'example.org,',
    'example.org example.com',
    'localhost',
    'exämple.org',
    '-example.org',
    'example.org\n',
  ])('%j is rejected, because it would admit no one or too many people', (SIGNUP) => {
    expect(findProblems({ SIGNUP })).toEqual([
      `SIGNUP is ${JSON.stringify(SIGNUP)}: write open, closed, or domains such as example.org,example.com, or unset it for open`,
    ])
  })
})

describe('MIN_FREE_SPACE', () => {
  test.each([
    [undefined, null],
    ['0', 0],
    ['1000', 1000],
    ['512MiB', 512 * 1024 ** 2],
    ['3KiB', 3 * 1024],
    ['20GiB', 20 * 1024 ** 3],
    ['1TiB', 1024 ** 4],
  ])('%j is %j bytes', (MIN_FREE_SPACE, bytes) => {
    expect(readConfig({ MIN_FREE_SPACE }).minFreeSpace).toBe(bytes)
  })

  test.each(['-1', '1.5GiB', '512 MiB', '512MB', 'MiB', '2%', '1e3', ' 1'])(
    '%j is rejected',
    (MIN_FREE_SPACE) => {
      expect(findProblems({ MIN_FREE_SPACE })).toHaveLength(1)
    },
  )
})

describe('.env', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-env-'))
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })

  test('is read if present; environment variables take precedence', async () => {
    await writeFile(join(folder, '.env'), 'PORT=4000\nLOG_LEVEL="debug"\n')
    vi.stubEnv('PORT', '5000')
    vi.stubEnv('LOG_LEVEL', undefined)
    expect(readConfig(readEnvironment())).toMatchObject({ port: 5000, logLevel: 'debug' })
  })

  test('is optional', () => {
    vi.stubEnv('PORT', '5000')
    expect(readEnvironment().PORT).toBe('5000')
  })
})

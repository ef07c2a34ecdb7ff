import { describe, expect, test } from 'vitest'
import { ConfigError, type Environment, readConfig } from './config.ts'
import { isSafeAddress } from './google-settings.ts'

const client = { GOOGLE_CLIENT_ID: 'mayfly.apps', GOOGLE_CLIENT_SECRET: 'opensesame' }

function findProblems(environment: Environment): readonly string[] {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('sign-in with Google', () => {
  test('is enabled by a client id and secret', () => {
    expect(readConfig(client).google).toEqual({
      issuer: new URL('https://accounts.google.com'),
      clientId: 'mayfly.apps',
      clientSecret: 'opensesame',
    })
  })

  test('is disabled if the client id and secret are unset or empty', () => {
    const emptySettings = { GOOGLE_CLIENT_ID: '', GOOGLE_CLIENT_SECRET: '', GOOGLE_ISSUER: '' }
    expect(readConfig(emptySettings).google).toBeNull()
  })

  test.each([
    'https://id.example.org',
    'https://id.example.org/',
    'https://id.example.org:8443/realms/main',
    'http://127.0.0.1:8080/realms/main',
    'http://localhost:8080',
    'http://[::1]:8080',
  ])('accepts the issuer %s', (GOOGLE_ISSUER) => {
    expect(readConfig({ ...client, GOOGLE_ISSUER }).google?.issuer).toEqual(new URL(GOOGLE_ISSUER))
  })

  test.each([
    'http://id.example.org',
    'http://127.0.0.1.example.org',
    'http://192.168.0.7',
    'https://user:password@id.example.org',
    'https://id.example.org/?tenant=1',
    'https://id.example.org/#',
    'ftp://id.example.org',
    'id.example.org',
    'file:///etc/passwd',
  ])('rejects the issuer %s', (GOOGLE_ISSUER) => {
    expect(findProblems({ ...client, GOOGLE_ISSUER })).toEqual([
      expect.stringMatching(/^GOOGLE_ISSUER is ".*": give an https address such as /),
    ])
  })

  test.each([
    ['https://id.example.org', 'https://keys.example.org/jwks', true],
    ['https://id.example.org', 'http://id.example.org/token', false],
    ['https://id.example.org', 'http://127.0.0.1:8080/token', false],
    ['http://127.0.0.1:8080', 'http://localhost:9090/token', true],
    ['http://127.0.0.1:8080', 'https://id.example.org/token', true],
    ['http://127.0.0.1:8080', 'http://192.168.0.7/token', false],
    ['http://127.0.0.1:8080', 'file:///etc/passwd', false],
  ])('with the issuer %s considers the URL %s safe: %s', (issuer, address, isSafe) => {
    expect(isSafeAddress(new URL(address), new URL(issuer))).toBe(isSafe)
  })

  test.each([
    [
      { GOOGLE_CLIENT_ID: 'mayfly.apps' },
      [
        'GOOGLE_CLIENT_SECRET is missing: it belongs to GOOGLE_CLIENT_ID; set it too, or unset that',
      ],
    ],
    [
      { GOOGLE_CLIENT_SECRET: 'opensesame' },
      [
        'GOOGLE_CLIENT_ID is missing: it belongs to GOOGLE_CLIENT_SECRET; set it too, or unset that',
      ],
    ],
    [
      { GOOGLE_ISSUER: 'https://id.example.org' },
      [
        'GOOGLE_CLIENT_ID is missing: it belongs to GOOGLE_ISSUER; set it too, or unset that',
        'GOOGLE_CLIENT_SECRET is missing: it belongs to GOOGLE_ISSUER; set it too, or unset that',
      ],
    ],
  ])('rejects partial settings: %j', (environment, problems) => {
    expect(findProblems(environment)).toEqual(problems)
  })

  test.each([
    ['GOOGLE_CLIENT_ID', 'two words'],
    ['GOOGLE_CLIENT_ID', 'line\nfeed'],
    ['GOOGLE_CLIENT_SECRET', 'open sesame'],
    ['GOOGLE_CLIENT_SECRET', 'open\tsesame'],
  ])('rejects a %s such as %j', (name, value) => {
    const problems = findProblems({ ...client, [name]: value })
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
    expect(problems.join()).not.toContain('sesame')
  })
})

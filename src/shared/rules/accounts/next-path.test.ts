import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextPath, withNext } from './next-path.ts'

describe('nextPath accepts a page on this server', () => {
  it.each([
    '/',
    '/?tab=files',
    '/?tab=files#row-3',
    '/s/abcDEF2345',
    '/s/abc_DEF-23?from=mail',
    '/download/abcDEF2345',
    '/account',
    '/account#sessions',
    '/s/abcDEF2345?next=//evil.example',
  ])('%s', (requestedPath) => {
    expect(nextPath(requestedPath)).toBe(requestedPath)
  })
})

describe('nextPath falls back to the front page for', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty string', ''],
    ['another site', 'https://evil.example/'],
    ['another site without a scheme', '//evil.example'],
    ['a backslash instead of a slash', '/\\evil.example'],
    ['two backslashes', '\\\\evil.example'],
    ['a tab between the slashes', '/\t/evil.example'],
    ['a line feed between the slashes', '/\n/evil.example'],
    ['a dot between the slashes', '/.//evil.example'],
    ['two dots between the slashes', '/s/..//evil.example'],
    ['userinfo before the host', '/@evil.example'],
    ['a javascript: URL', 'javascript:alert(1)'],
    ['a relative path', 's/abcDEF2345'],
    ['a leading space', ' /s/abcDEF2345'],
    ['an API path', '/api/logout'],
    ['a percent-encoded API path', '/%61pi/logout'],
    ['an API path after ..', '/s/../api/logout'],
    ['an API path after a leading ..', '/../api/logout'],
    ['an API path after a dot', '/./api/logout'],
    ['the Google sign-in endpoint', '/api/login'],
    ['a storage URL', '/storage/files/ab/abcdef'],
    ['the login page', '/login'],
    ['the login page with a query', '/login?next=/s/abcDEF2345'],
    ['the signup page', '/signup'],
    ['the password reset page', '/reset-password?token=x'],
    ['the email verification page', '/verify-email?token=x'],
    ['a static asset', '/assets/index.js'],
    ['a trailing slash', '/s/'],
    ['a query without a path', '?tab=files'],
    ['a fragment without a path', '#files'],
    ['unencoded characters', '/?tab=ü'],
    ['a line feed in the query', '/?tab=files\r\nSet-Cookie: a=b'],
    ['a backslash in the path', '/s\\evil.example'],
    ['an overlong path', `/s/${'a'.repeat(500)}`],
    ['an invalid port', '//evil.example:99999999'],
  ])('%s', (_, requestedPath) => {
    expect(nextPath(requestedPath)).toBe('/')
  })
})

describe('nextPath, for any input', () => {
  const pieces = ['/', '\\', '.', '..', ':', '@', '?', '#', '\t', '\n', ' ', '%2f', '%5c', '%61']
  const words = ['s', 'api', 'evil.example', 'http', 'https', 'javascript', 'abc', 'login', '\0']
  const hostileInput = fc
    .array(fc.constantFrom(...pieces, ...words), { maxLength: 12 })
    .map((parts) => parts.join(''))

  it('returns a path that a browser resolves to this server', () => {
    fc.assert(
      fc.property(fc.oneof(hostileInput, fc.string(), fc.webUrl()), (requestedPath) => {
        const next = nextPath(requestedPath)
        const { origin, pathname } = new URL(next, 'https://files.example.org')
        expect(origin).toBe('https://files.example.org')
        expect(next).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
        expect(decodeURI(pathname)).not.toMatch(/^\/(api|storage|login)\b/)
      }),
      { numRuns: 500 },
    )
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.oneof(hostileInput, fc.string()), (requestedPath) => {
        expect(nextPath(nextPath(requestedPath))).toBe(nextPath(requestedPath))
      }),
      { numRuns: 500 },
    )
  })
})

describe('withNext', () => {
  it('omits the front page', () => {
    expect(withNext('/login', '/')).toBe('/login')
  })

  it('encodes any other page so that nextPath returns it unchanged', () => {
    const next = '/s/abcDEF2345?a=1&b=%26#c'
    const { pathname, searchParams } = new URL(withNext('/login', next), 'https://x.org')
    expect(pathname).toBe('/login')
    expect(nextPath(searchParams.get('next'))).toBe(next)
  })
})

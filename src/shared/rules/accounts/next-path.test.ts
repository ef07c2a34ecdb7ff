import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextPath, withNext } from './next-path.ts'

describe('nextPath accepts a page of this server', () => {
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
  ])('%s', (wanted) => {
    expect(nextPath(wanted)).toBe(wanted)
  })
})

describe('nextPath falls back to the front page for', () => {
  it.each([
    ['nothing', undefined],
    ['no value', null],
    ['an empty text', ''],
    ['another site', 'https://evil.example/'],
    ['another site without a scheme', '//evil.example'],
    ['a backslash for a slash', '/\\evil.example'],
    ['two backslashes', '\\\\evil.example'],
    ['a tab between the slashes', '/\t/evil.example'],
    ['a line feed between the slashes', '/\n/evil.example'],
    ['a dot between the slashes', '/.//evil.example'],
    ['two dots between the slashes', '/s/..//evil.example'],
    ['a user before the host', '/@evil.example'],
    ['a script', 'javascript:alert(1)'],
    ['a relative path', 's/abcDEF2345'],
    ['a space in front', ' /s/abcDEF2345'],
    ['a call', '/api/logout'],
    ['a call in another spelling', '/%61pi/logout'],
    ['a call behind dots', '/s/../api/logout'],
    ['a call behind dots at the beginning', '/../api/logout'],
    ['a call behind one dot', '/./api/logout'],
    ['the start of a sign-in', '/api/login'],
    ['bytes', '/storage/files/ab/abcdef'],
    ['the login', '/login'],
    ['the login with a query', '/login?next=/s/abcDEF2345'],
    ['the signup', '/signup'],
    ['a page for who forgot the password', '/reset-password?token=x'],
    ['a page for who verifies an address', '/verify-email?token=x'],
    ['a file of the web', '/assets/index.js'],
    ['a slash at the end', '/s/'],
    ['a query without a path', '?tab=files'],
    ['a fragment without a path', '#files'],
    ['characters that a browser would have encoded', '/?tab=ü'],
    ['a line feed in the query', '/?tab=files\r\nSet-Cookie: a=b'],
    ['a backslash behind a page', '/s\\evil.example'],
    ['an endless address', `/s/${'a'.repeat(500)}`],
    ['a port that is none', '//evil.example:99999999'],
  ])('%s', (_, wanted) => {
    expect(nextPath(wanted)).toBe('/')
  })
})

describe('nextPath, for any input', () => {
  const pieces = ['/', '\\', '.', '..', ':', '@', '?', '#', '\t', '\n', ' ', '%2f', '%5c', '%61']
  const words = ['s', 'api', 'evil.example', 'http', 'https', 'javascript', 'abc', 'login', '\0']
  const hostile = fc
    .array(fc.constantFrom(...pieces, ...words), { maxLength: 12 })
    .map((parts) => parts.join(''))

  it('stays on this server when a browser resolves it', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string(), fc.webUrl()), (wanted) => {
        const next = nextPath(wanted)
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
      fc.property(fc.oneof(hostile, fc.string()), (wanted) => {
        expect(nextPath(nextPath(wanted))).toBe(nextPath(wanted))
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

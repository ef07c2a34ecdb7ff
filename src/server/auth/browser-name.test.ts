import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import { browserName } from './browser-name.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

describe('browserName', () => {
  it.each([
    [
      'Chrome on Windows',
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/131.0.0.0 Safari/537.36`,
    ],
    [
      'Microsoft Edge on Windows',
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/131.0.0.0 Safari/537.36 Edg/131.0`,
    ],
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'],
    [
      'Safari on macOS',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/17.5 Safari/605.1.15`,
    ],
    [
      'Safari on iOS',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webkit} Version/17.5 Mobile/15E148 Safari/604.1`,
    ],
    [
      'Samsung Internet for Android',
      `Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-G981B) ${webkit} SamsungBrowser/25.0 Chrome/121.0 Mobile Safari/537.36`,
    ],
  ])('is %s', (name, userAgent) => {
    expect(browserName(userAgent)).toBe(name)
  })

  it.each([
    null,
    undefined,
    '',
    'node',
    'curl/8.5.0',
    'Your prize waits at https://evil.example/1 click',
    'constructor/1 x',
  ])('is null for %j', (userAgent) => {
    expect(browserName(userAgent)).toBeNull()
  })

  it('never contains text chosen by the client', () => {
    const prefixes = fc.constantFrom('', 'Firefox/1 ', 'Opera/9 ', 'Mozilla/5.0 (Linux; ')
    fc.assert(
      fc.property(prefixes, anyText(), (prefix, text) => {
        const name = browserName(`${prefix}zq${text}zq/7 zq`)
        expect(name ?? '').toMatch(/^[\w .-]*$/)
        expect(name ?? '').not.toContain('zq')
      }),
      { numRuns: 30 },
    )
  })

  it('reads only the start of an oversized header', () => {
    expect(browserName(`${'x'.repeat(600)} Firefox/133.0`)).toBeNull()
  })
})

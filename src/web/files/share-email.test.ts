import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import { type ShareEmail, shareEmailUrl } from './share-email.ts'

function makeShareEmail(changes: Partial<ShareEmail> = {}): ShareEmail {
  return {
    name: 'press-kit.zip',
    fileCount: 1,
    totalSize: 101_082_726,
    link: 'https://mayfly.example/s/h4TzPb9NcE',
    expiresAt: new Date('2025-07-15T10:00:00Z'),
    signature: 'Mayfly\nSecure file sharing\nsupport@mayfly.example',
    timeZone: 'Europe/Vienna',
    ...changes,
  }
}

/** Parses a `mailto:` URL as an email client does. */
function parseUrl(mailtoUrl: string) {
  const url = new URL(mailtoUrl)
  return {
    to: url.pathname,
    fields: [...url.search.slice(1).split('&')].map((field) => field.split('=', 1)[0]),
    subject: decodeURIComponent(/[?&]subject=([^&]*)/.exec(mailtoUrl)?.[1] ?? ''),
    body: decodeURIComponent(/[?&]body=([^&]*)/.exec(mailtoUrl)?.[1] ?? ''),
  }
}

test('the email contains the file name and size, the link, its expiry and the signature', () => {
  const { to, subject, body } = parseUrl(shareEmailUrl(makeShareEmail()))
  expect(to).toBe('')
  expect(subject).toBe('A file for you: press-kit.zip')
  expect(body.split('\r\n')).toEqual([
    'press-kit.zip (96.4 MB)',
    '',
    'https://mayfly.example/s/h4TzPb9NcE',
    '',
    'The link works until Tuesday, July 15, 2025 at 12:00 PM GMT+2.',
    '',
    'Mayfly',
    'Secure file sharing',
    'support@mayfly.example',
  ])
})

test('the email omits an empty signature', () => {
  expect(parseUrl(shareEmailUrl(makeShareEmail({ signature: ' \n' }))).body).toMatch(/GMT\+2\.$/)
})

test('the subject shortens a long name, but the body does not', () => {
  const name = `${'x'.repeat(200)}.mov`
  const { subject, body } = parseUrl(shareEmailUrl(makeShareEmail({ name })))
  expect(subject.length).toBeLessThan(80)
  expect(subject).toContain('….mov'.slice(1))
  expect(body).toContain(name)
})

describe('any name or signature', () => {
  test('is encoded as text and adds no recipient or header', () => {
    const hostileText = fc.oneof(anyText(), fc.constant('a&bcc=x@y.z?to=q#h%0D%0A+ \ud800'))
    fc.assert(
      fc.property(hostileText, hostileText, (name, signature) => {
        const mailtoUrl = shareEmailUrl(makeShareEmail({ name, signature }))
        const { to, fields, body } = parseUrl(mailtoUrl)
        expect(to).toBe('')
        expect(fields).toEqual(['subject', 'body'])
        expect(new URL(mailtoUrl).hash).toBe('')
        const sentName = name.toWellFormed().replace(/\r\n?|\n/g, '\r\n')
        expect(body.startsWith(`${sentName} (`)).toBe(true)
      }),
    )
  })
})

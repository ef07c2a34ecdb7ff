import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import { linkFile, listedLink } from '../../../tests/support/upload-fixtures.ts'
import type { ListedLink } from './listed-link.ts'
import { shareEmailUrl } from './share-email.ts'

const mayflySignature = 'Mayfly\nSecure file sharing\nsupport@mayfly.example'

function makeUrl(changes: Partial<ListedLink> = {}, signature = mayflySignature): string {
  const link = listedLink({ files: [linkFile()] })
  const dates = { totalSize: 101_082_726, expiresAt: '2025-07-15T10:00:00Z' }
  const url = 'https://mayfly.example/s/h4TzPb9NcE'
  return shareEmailUrl(
    { ...link, name: 'press-kit.zip', ...dates, ...changes },
    url,
    signature,
    'Europe/Vienna',
  )
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
  const { to, subject, body } = parseUrl(makeUrl())
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
  expect(parseUrl(makeUrl({}, ' \n')).body).toMatch(/GMT\+2\.$/)
})

test('the subject shortens a long name, but the body does not', () => {
  const name = `${'x'.repeat(200)}.mov`
  const { subject, body } = parseUrl(makeUrl({ name }))
  expect(subject.length).toBeLessThan(80)
  expect(subject).toContain('….mov'.slice(1))
  expect(body).toContain(name)
})

describe('any name or signature', () => {
  test('is encoded as text and adds no recipient or header', () => {
    const hostileText = fc.oneof(anyText(), fc.constant('a&bcc=x@y.z?to=q#h%0D%0A+ \ud800'))
    fc.assert(
      fc.property(hostileText, hostileText, (name, signature) => {
        const mailtoUrl = makeUrl({ name }, signature)
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

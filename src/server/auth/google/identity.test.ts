import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../../tests/support/any-text.ts'
import { personName } from '../../../shared/contract/account.ts'
import { pictureOrigins } from '../../config/google-settings.ts'
import { needsUserInfo, readIdentity } from './identity.ts'

const googleOrigins = pictureOrigins({ issuer: new URL('https://accounts.google.com') })
const fullClaims = {
  sub: '1',
  email: 'Ada@Example.org',
  email_verified: true,
  given_name: 'Ada',
  family_name: 'Lovelace',
  picture: 'https://lh3.googleusercontent.com/a/x=s96-c',
}

describe('readIdentity', () => {
  it('reads the claims of a Google ID token', () => {
    expect(needsUserInfo(fullClaims)).toBe(false)
    expect(readIdentity(fullClaims, null, googleOrigins)).toEqual({
      subject: '1',
      email: 'ada@example.org',
      emailVerified: true,
      firstName: 'Ada',
      lastName: 'Lovelace',
      picture: 'https://lh3.googleusercontent.com/a/x=s96-c',
    })
  })

  it.each(['true', 'false', 1, 0, null, undefined, {}, [true], 'yes'])(
    'treats an email address as verified only if the claim is the boolean true, not %j',
    (email_verified) => {
      expect(
        readIdentity({ ...fullClaims, email_verified }, null, googleOrigins).emailVerified,
      ).toBe(false)
    },
  )

  it('reads the email address and its verification from the same source', () => {
    const userInfo = { sub: '1', email: 'eve@example.org', email_verified: true }
    const { email_verified: _, ...unverifiedClaims } = fullClaims
    expect(readIdentity(unverifiedClaims, userInfo, googleOrigins)).toMatchObject({
      email: 'ada@example.org',
      emailVerified: false,
    })
    const claimsWithoutEmail = { sub: '1', email_verified: true }
    expect(needsUserInfo(claimsWithoutEmail)).toBe(true)
    expect(
      readIdentity(
        claimsWithoutEmail,
        { sub: '1', email: 'eve@example.org', email_verified: false },
        googleOrigins,
      ),
    ).toMatchObject({ email: 'eve@example.org', emailVerified: false })
  })

  it.each([
    undefined,
    null,
    '',
    7,
    'ada',
    'ada@',
    'ada@exämple.org',
    'a b@example.org',
    ['a@b.org'],
  ])('ignores the invalid email address %j', (email) => {
    expect(readIdentity({ ...fullClaims, email }, null, googleOrigins)).toMatchObject({
      email: null,
      emailVerified: false,
    })
  })
})

describe('the names', () => {
  it.each([
    [{ given_name: 'Ada', family_name: 'Lovelace' }, 'Ada', 'Lovelace'],
    [{ given_name: ' Ada ', family_name: undefined }, 'Ada', ''],
    [{ given_name: undefined, family_name: undefined, name: 'Ada Lovelace' }, 'Ada Lovelace', ''],
    [{ given_name: undefined, family_name: 'Lovelace', name: 'Ada' }, 'Ada', 'Lovelace'],
    [{ given_name: '', family_name: '', name: '' }, 'ada', ''],
    [{ given_name: 7, family_name: {}, name: null }, 'ada', ''],
    [{ given_name: 'Ada\r\nBcc: eve@example.net' }, 'Ada Bcc: eve@example.net', 'Lovelace'],
    [{ given_name: '\u202egnp.exe' }, 'gnp.exe', 'Lovelace'],
    [{ given_name: '\0' }, 'ada', ''],
    [{ given_name: 'A'.repeat(500) }, 'A'.repeat(50), 'Lovelace'],
    [{ given_name: '👩‍👩‍👧'.repeat(50) }, expect.stringMatching(/^👩‍👩‍👧/), 'Lovelace'],
  ])('are read from %j', (claims, firstName, lastName) => {
    expect(readIdentity({ ...fullClaims, ...claims }, null, googleOrigins)).toMatchObject({
      firstName,
      lastName,
    })
  })

  it('come from userinfo if the ID token has none', () => {
    const { given_name: _, family_name: __, ...claimsWithoutName } = fullClaims
    const userInfo = { sub: '1', given_name: 'Grace', family_name: 'Hopper' }
    expect(needsUserInfo(claimsWithoutName)).toBe(true)
    expect(readIdentity(claimsWithoutName, userInfo, googleOrigins)).toMatchObject({
      email: 'ada@example.org',
      emailVerified: true,
      firstName: 'Grace',
      lastName: 'Hopper',
    })
  })

  it('are always valid for a signup', () => {
    const hostileText = fc.oneof(anyText(), fc.string(), fc.constant('\ud800'))
    fc.assert(
      fc.property(hostileText, hostileText, (given_name, family_name) => {
        const claims = { sub: '1', email: 'ada@example.org', given_name, family_name }
        const { firstName, lastName } = readIdentity(claims, null, googleOrigins)
        expect(personName.safeParse(firstName).data).toBe(firstName)
        expect(lastName === '' || personName.safeParse(lastName).data === lastName).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the picture', () => {
  it.each([
    'http://lh3.googleusercontent.com/a/x',
    'https://evil.example/a.png',
    'https://googleusercontent.com/a.png',
    'https://lh3.googleusercontent.com.evil.example/a.png',
    'https://evilgoogleusercontent.com/a.png',
    'https://lh3.googleusercontent.com:8443/a.png',
    'https://user:password@lh3.googleusercontent.com/a.png',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    '//lh3.googleusercontent.com/a.png',
    `https://lh3.googleusercontent.com/${'a'.repeat(2000)}`,
    7,
    null,
    undefined,
  ])('is null for %s', (picture) => {
    expect(readIdentity({ ...fullClaims, picture }, null, googleOrigins).picture).toBeNull()
  })

  it.each([
    ['https://id.example.org/realms/main', 'https://id.example.org/face.png', true],
    ['https://id.example.org:8443', 'https://id.example.org:8443/face.png', true],
    ['https://id.example.org:8443', 'https://id.example.org/face.png', false],
    ['https://id.example.org', 'https://www.gravatar.com/avatar/1', false],
    ['https://id.example.org', 'https://lh3.googleusercontent.com/a/x', false],
  ])('from issuer %s at %s is allowed: %s', (issuer, picture, isAllowed) => {
    const origins = pictureOrigins({ issuer: new URL(issuer) })
    expect(readIdentity({ ...fullClaims, picture }, null, origins).picture).toBe(
      isAllowed ? picture : null,
    )
  })
})

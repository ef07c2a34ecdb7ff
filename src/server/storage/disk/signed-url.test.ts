import { createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newStorageKey } from '../storage-key.ts'
import { deriveSigningKey, type SignedGrant, signUrl, verifyUrl } from './signed-url.ts'

const appUrl = 'https://mayfly.example'
const signingKey = deriveSigningKey('a secret')

const dates = fc.date({ noInvalidDate: true, min: new Date(1), max: new Date('2200-01-01') })
const upload = {
  key: fc.constant(null).map(newStorageKey),
  size: fc.maxSafeNat(),
  mimeType: fc.constantFrom('image/png', 'application/vnd.a+json', "text/x-!#$&'*~`|"),
  expiresAt: dates,
}
const grants: fc.Arbitrary<SignedGrant> = fc.oneof(
  fc.record({ operation: fc.constant('put' as const), ...upload }),
  fc.record({
    operation: fc.constant('part' as const),
    ...upload,
    size: fc.maxSafeNat().map((size) => Math.floor(size / 2)),
    partNumber: fc.integer({ min: 1, max: 10_000 }),
    offset: fc.maxSafeNat().map((offset) => Math.floor(offset / 2)),
  }),
)

function targetOf(grant: SignedGrant) {
  return signUrl(grant, appUrl, signingKey).slice(appUrl.length)
}
function justBeforeExpiry(grant: SignedGrant) {
  return new Date(grant.expiresAt.getTime() - 1)
}

it('returns the whole grant until exactly its expiry', () => {
  fc.assert(
    fc.property(grants, (grant) => {
      const target = targetOf(grant)
      expect(verifyUrl(target, justBeforeExpiry(grant), signingKey)).toEqual({ ok: true, grant })
      const expiredVerdict = { ok: false, code: 'SIGNATURE_EXPIRED' }
      expect(verifyUrl(target, grant.expiresAt, signingKey)).toEqual(expiredVerdict)
    }),
  )
})

it('rejects a URL with any character changed, added or removed', () => {
  const edits = fc.constantFrom('alter', 'add', 'remove')
  fc.assert(
    fc.property(grants, edits, fc.nat(), fc.nat(0x7e - 0x21), (grant, edit, position, charCode) => {
      const target = targetOf(grant)
      const index = position % target.length
      const character = edit === 'remove' ? '' : String.fromCharCode(0x21 + charCode)
      const rest = target.slice(edit === 'add' ? index : index + 1)
      const alteredTarget = target.slice(0, index) + character + rest
      fc.pre(alteredTarget !== target)
      const verdict = verifyUrl(alteredTarget, justBeforeExpiry(grant), signingKey)
      expect(verdict).toEqual({ ok: false, code: 'SIGNATURE_INVALID' })
    }),
    { numRuns: 2000 },
  )
})

it('rejects other spellings of the same URL', () => {
  const grant: SignedGrant = {
    operation: 'put',
    key: newStorageKey(),
    size: 5,
    mimeType: 'text/plain',
    expiresAt: new Date(1000),
  }
  const target = targetOf(grant)
  const spellings = [
    target.replace('%2F', '%2f'),
    target.replace('%2F', '/'),
    target.replace('operation=put&size=5', 'size=5&operation=put'),
    `${target}&signature=`,
    `${target}&operation=part`,
    target.replace('/storage/', '//storage/'),
    target.replace('/storage/', '/storage/../storage/'),
    target.slice(0, target.indexOf('?')),
    '/storage/',
    '',
  ]
  for (const spelling of spellings) {
    const verdict = verifyUrl(spelling, new Date(0), signingKey)
    expect(verdict, spelling).toEqual({ ok: false, code: 'SIGNATURE_INVALID' })
  }
})

it('rejects URLs signed with another secret', () => {
  fc.assert(
    fc.property(grants, fc.string(), (grant, secret) => {
      fc.pre(secret !== 'a secret')
      const foreignTarget = signUrl(grant, appUrl, deriveSigningKey(secret)).slice(appUrl.length)
      const verdict = verifyUrl(foreignTarget, justBeforeExpiry(grant), signingKey)
      expect(verdict).toEqual({ ok: false, code: 'SIGNATURE_INVALID' })
    }),
  )
})

it('produces URLs that a URL parser leaves unchanged', () => {
  fc.assert(
    fc.property(grants, (grant) => {
      const url = signUrl(grant, appUrl, signingKey)
      expect(new URL(url).href).toBe(url)
    }),
  )
})

it('signs only valid keys, sizes, parts and dates', () => {
  const grant: SignedGrant = {
    operation: 'put',
    key: newStorageKey(),
    size: 5,
    mimeType: 'text/plain',
    expiresAt: new Date(1000),
  }
  const invalidChanges = [
    { key: '../../etc/passwd' },
    { size: -1 },
    { size: 1.5 },
    { size: Number.NaN },
    { expiresAt: new Date(Number.NaN) },
  ]
  for (const change of invalidChanges) {
    expect(() => signUrl({ ...grant, ...change }, appUrl, signingKey)).toThrow(RangeError)
  }
  const part: SignedGrant = { ...grant, operation: 'part', partNumber: 1, offset: 0 }
  const invalidParts = [
    { partNumber: 0 },
    { partNumber: 1.5 },
    { offset: -1 },
    { offset: Number.MAX_SAFE_INTEGER - 4 },
  ]
  for (const change of invalidParts) {
    expect(() => signUrl({ ...part, ...change }, appUrl, signingKey)).toThrow(RangeError)
  }
})

// The server also uses its secret to sign other data, and clients can choose some of that data.
it('rejects URLs signed with the secret itself', () => {
  fc.assert(
    fc.property(grants, (grant) => {
      const secret = createSecretKey(Buffer.from('a secret'))
      const foreignTarget = signUrl(grant, appUrl, secret).slice(appUrl.length)
      const verdict = verifyUrl(foreignTarget, justBeforeExpiry(grant), signingKey)
      expect(verdict).toEqual({ ok: false, code: 'SIGNATURE_INVALID' })
    }),
  )
})

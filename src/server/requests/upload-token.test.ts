import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import { createUploadToken, readUploadToken } from './upload-token.ts'

const secret = 's'.repeat(32)

it('a token names its link, whatever the spelling of the scheme', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom('Upload', 'upload', 'UPLOAD'), (linkId, scheme) => {
      const header = `${scheme} ${createUploadToken(secret, linkId)}`
      expect(readUploadToken(secret, header)).toBe(linkId)
    }),
  )
})

it('no other text is a token', () => {
  const token = createUploadToken(secret, '00000000-0000-4000-8000-000000000000')
  const forgeries = fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => text.trim() !== '' && !/\s/.test(text)),
    fc.uuid().map((linkId) => `${linkId}${token.slice(36)}`),
    fc.uuid().map((linkId) => createUploadToken('another secret', linkId)),
    fc.nat(token.length - 1).map((length) => token.slice(0, length) || '.'),
    fc.constant(`${token}=`),
  )
  fc.assert(
    fc.property(forgeries, (forgery) => {
      fc.pre(forgery !== token)
      expect(() => readUploadToken(secret, `Upload ${forgery}`)).toThrow(AppError)
    }),
  )
})

it.each([undefined, '', 'Basic abc', 'Bearer abc', 'Upload', 'Uploads abc'])(
  'a header without a token (%s) names no link',
  (header) => {
    expect(readUploadToken(secret, header)).toBeNull()
  },
)

import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../../shared/contract/errors.ts'
import { assertSignedHeaders, parseCrc32Header, parseResumeOffset } from './upload-headers.ts'

function expectAppError(work: () => unknown, code: ErrorCode) {
  expect(work).toThrow(expect.objectContaining({ code }))
}

describe('the type of a body', () => {
  it.each([
    ['text/plain', 'text/plain'],
    ['Text/Plain', 'text/plain'],
    ['text/plain; charset=utf-8', 'text/plain'],
    ['text/plain', 'TEXT/plain'],
    [undefined, 'application/octet-stream'],
  ])('%s matches the signed type %s', (sentType, signedType) => {
    const headers = { 'content-type': sentType, 'content-length': '0' }
    expect(assertSignedHeaders(headers, { mimeType: signedType }, 0)).toBeUndefined()
  })

  it.each([
    ['text/html', 'text/plain'],
    [undefined, 'text/plain'],
    ['', 'text/plain'],
    ['text/plain2', 'text/plain'],
  ])('%s does not match the signed type %s', (sentType, signedType) => {
    const check = () =>
      assertSignedHeaders({ 'content-type': sentType }, { mimeType: signedType }, 0)
    expectAppError(check, 'SIGNATURE_INVALID')
  })
})

const unknownType = { mimeType: 'application/octet-stream' }

describe('the length of a body', () => {
  it.each([
    [{ 'content-length': '10' }, 10],
    [{}, 0],
    [{ 'transfer-encoding': 'chunked' }, 10],
    [{ 'content-length': '10' }, -1],
  ])('%o is accepted for %i expected bytes', (headers, expected) => {
    expect(assertSignedHeaders(headers, unknownType, expected)).toBeUndefined()
  })

  it.each([
    [{ 'content-length': '11' }, 'FILE_TOO_LARGE'],
    [{ 'content-length': '9' }, 'UPLOAD_INCOMPLETE'],
    [{}, 'UPLOAD_INCOMPLETE'],
  ] as const)('%o is rejected for 10 expected bytes', (headers, code) => {
    expectAppError(() => assertSignedHeaders(headers, unknownType, 10), code)
  })
})

describe('the offset of a resumed upload', () => {
  const tenBytes = { operation: 'put', size: 10 } as const

  it.each([
    ['bytes=0-', 0],
    ['bytes=7-', 7],
    ['Bytes=7-9', 7],
  ])('is parsed from %s: %i', (range, offset) => {
    expect(parseResumeOffset({ range }, tenBytes)).toBe(offset)
  })

  it('is undefined without a range', () => {
    expect(parseResumeOffset({}, tenBytes)).toBeUndefined()
  })

  it.each(['bytes=7-8', 'bytes=7-10', 'bytes=-3', 'bytes=1-2,4-5', 'items=7-', 'bytes=7', ''])(
    'is rejected as %o',
    (range) => {
      expectAppError(() => parseResumeOffset({ range }, tenBytes), 'INVALID_INPUT')
    },
  )

  it('is rejected together with Content-Range', () => {
    const headers = { range: 'bytes=7-', 'content-range': 'bytes 7-9/10' }
    expectAppError(() => parseResumeOffset(headers, tenBytes), 'INVALID_INPUT')
  })
})

it('a part cannot have a range', () => {
  const part = { operation: 'part', size: 10 } as const
  expect(parseResumeOffset({}, part)).toBeUndefined()
  expectAppError(() => parseResumeOffset({ range: 'bytes=0-' }, part), 'INVALID_INPUT')
})

describe('the CRC-32 header', () => {
  it('is decoded from base64', () => {
    expect(parseCrc32Header({ 'x-amz-checksum-crc32': 'y/Q5Jg==' })).toBe(0xcbf43926)
    expect(parseCrc32Header({ 'x-amz-checksum-crc32': 'AAAAAA==' })).toBe(0)
    expect(parseCrc32Header({})).toBeUndefined()
  })

  it.each(['', 'y/Q5Jg', 'y/Q5Jh==', 'y_Q5Jg==', 'AAAAAAA=', 'cbf43926'])(
    'is rejected as %o',
    (header) => {
      expectAppError(() => parseCrc32Header({ 'x-amz-checksum-crc32': header }), 'INVALID_INPUT')
    },
  )

  it('is rejected if it is sent twice', () => {
    const duplicateValues = ['y/Q5Jg==', 'y/Q5Jg==']
    expectAppError(
      () => parseCrc32Header({ 'x-amz-checksum-crc32': duplicateValues }),
      'INVALID_INPUT',
    )
  })
})

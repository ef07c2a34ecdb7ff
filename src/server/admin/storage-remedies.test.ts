import { describe, expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import { TimeoutError } from '../timeout.ts'
import { errorName, remedyFor } from './storage-remedies.ts'

function createErrorNamed(name: string, properties: object = {}) {
  return Object.assign(new Error('a key: AKIA0000, a secret'), { name, ...properties })
}

describe('the name of a storage error', () => {
  it.each([
    ['AccessDenied', createErrorNamed('AccessDenied')],
    ['ECONNREFUSED', createErrorNamed('Error', { code: 'ECONNREFUSED' })],
    ['NoSuchBucket', new AppError('UNAVAILABLE', { cause: createErrorNamed('NoSuchBucket') })],
    ['ENOSPC', new Error('wrapped', { cause: createErrorNamed('Error', { code: 'ENOSPC' }) })],
    ['no answer in time', new TimeoutError(15_000)],
    ['unknown error', createErrorNamed('secret: AKIA0000')],
    ['unknown error', 'a text'],
    ['unknown error', undefined],
  ])('is %s, and never the message', (name, error) => {
    expect(errorName(error)).toBe(name)
  })
})

describe('the remedy', () => {
  it.each([
    ['s3', 'AccessDenied', 'to list the bucket'],
    ['s3', 'NoSuchBucket', 'S3_BUCKET'],
    ['s3', 'SignatureDoesNotMatch', 'S3_SECRET_ACCESS_KEY'],
    ['s3', 'no answer in time', 'S3_ENDPOINT'],
    ['disk', 'ENOSPC', 'enlarge it'],
    ['disk', 'EACCES', 'DATA_DIR'],
    ['s3', 'something new', 'the S3_ settings'],
    ['disk', 'toString', 'the log of Mayfly'],
  ] as const)('for %s with %s mentions %s', (store, reason, remedy) => {
    expect(remedyFor(store, reason)).toContain(remedy)
  })
})

import { describe, expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import { TimeoutError } from '../timeout.ts'
import { errorName, remedyFor } from './storage-remedies.ts'

function fault(name: string, more: object = {}) {
  return Object.assign(new Error('a key: AKIA0000, a secret'), { name, ...more })
}

describe('the name of a storage error', () => {
  it.each([
    ['AccessDenied', fault('AccessDenied')],
    ['ECONNREFUSED', fault('Error', { code: 'ECONNREFUSED' })],
    ['NoSuchBucket', new AppError('UNAVAILABLE', { cause: fault('NoSuchBucket') })],
    ['ENOSPC', new Error('wrapped', { cause: fault('Error', { code: 'ENOSPC' }) })],
    ['no answer in time', new TimeoutError(15_000)],
    ['unknown error', fault('secret: AKIA0000')],
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
  ] as const)('of %s with %s tells of %s', (store, reason, words) => {
    expect(remedyFor(store, reason)).toContain(words)
  })
})

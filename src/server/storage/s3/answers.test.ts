import { S3ServiceException } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { TimeoutError } from '../../timeout.ts'
import { StoreSilent } from '../storage.ts'
import { reach, reachUnlessMissing } from './answers.ts'

function fault(name: string): S3ServiceException {
  return new S3ServiceException({ name, $fault: 'client', $metadata: {} })
}

const away = { name: 'AppError', code: 'UNAVAILABLE', headers: { 'retry-after': '5' } }

describe.each([
  ['reach', reach],
  ['reachUnlessMissing', reachUnlessMissing],
])('%s', (_, ask) => {
  it('returns what the bucket answers', async () => {
    expect(await ask(Promise.resolve('an answer'))).toBe('an answer')
  })

  it.each([
    fault('AccessDenied'),
    fault('NoSuchBucket'),
    fault('SlowDown'),
    fault('InternalError'),
    new Error('connect ECONNREFUSED'),
    'no error at all',
  ])('takes %s for a bucket that is away, and keeps the reason', async (cause) => {
    const thrown = await ask(Promise.reject(cause)).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ ...away, cause })
    expect(thrown).not.toBeInstanceOf(StoreSilent)
  })

  it.each([
    ['all its tries together took too long', new TimeoutError(20_000)],
    ['one try did', Object.assign(new Error('no connection'), { name: 'TimeoutError' })],
  ])('tells a bucket that is silent from others: %s', async (_, cause) => {
    const thrown = await ask(Promise.reject(cause)).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(StoreSilent)
    expect(thrown).toMatchObject({ ...away, cause })
  })
})

const missing = ['NotFound', 'NoSuchKey', 'NoSuchUpload', 'InvalidPart']

it.each(missing)('%s means that something is missing, where it may be', async (name) => {
  expect(await reachUnlessMissing(Promise.reject(fault(name)))).toBeNull()
  await expect(reach(Promise.reject(fault(name)))).rejects.toMatchObject(away)
})

it('an error of another library with such a name means nothing', async () => {
  const error = Object.assign(new Error('no such key'), { name: 'NoSuchKey' })
  await expect(reachUnlessMissing(Promise.reject(error))).rejects.toMatchObject(away)
})

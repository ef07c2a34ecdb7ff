import { readFile } from 'node:fs/promises'
import { HeadBucketCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { TimeoutError } from '../../timeout.ts'
import { StoreTimeout } from '../storage.ts'
import { asksOf, reach, reachUnlessMissing, usualWaits } from './client.ts'

function fault(name: string): S3ServiceException {
  return new S3ServiceException({ name, $fault: 'client', $metadata: {} })
}

const away = { name: 'AppError', code: 'UNAVAILABLE', headers: { 'retry-after': '5' } }

describe.each([
  ['reach', reach],
  ['reachUnlessMissing', reachUnlessMissing],
])('%s', (_, ask) => {
  it('returns the response of the bucket', async () => {
    expect(await ask(Promise.resolve('an answer'))).toBe('an answer')
  })

  it.each([
    fault('AccessDenied'),
    fault('NoSuchBucket'),
    fault('SlowDown'),
    fault('InternalError'),
    new Error('connect ECONNREFUSED'),
    'a thrown string',
  ])('maps %s to UNAVAILABLE and keeps the cause', async (cause) => {
    const thrown = await ask(Promise.reject(cause)).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ ...away, cause })
    expect(thrown).not.toBeInstanceOf(StoreTimeout)
  })

  it.each([
    ['all attempts together', new TimeoutError(20_000)],
    ['a single attempt', Object.assign(new Error('no connection'), { name: 'TimeoutError' })],
  ])('throws StoreTimeout on a timeout: %s', async (_, cause) => {
    const thrown = await ask(Promise.reject(cause)).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(StoreTimeout)
    expect(thrown).toMatchObject({ ...away, cause })
  })
})

const missing = ['NotFound', 'NoSuchKey', 'NoSuchUpload', 'InvalidPart']

it.each(missing)('%s is null for reachUnlessMissing and an error for reach', async (name) => {
  expect(await reachUnlessMissing(Promise.reject(fault(name)))).toBeNull()
  await expect(reach(Promise.reject(fault(name)))).rejects.toMatchObject(away)
})

it('a NoSuchKey error from another library does not mean that something is missing', async () => {
  const error = Object.assign(new Error('no such key'), { name: 'NoSuchKey' })
  await expect(reachUnlessMissing(Promise.reject(error))).rejects.toMatchObject(away)
})

/** The options of each request, oldest first. */
let asked: { requestTimeout: number; abortSignal: AbortSignal }[]
/** Whether the client responds. */
let answers: boolean

const client = {
  send(_: unknown, options: (typeof asked)[number]) {
    asked.push(options)
    return answers ? Promise.resolve({}) : new Promise(() => {})
  },
} as unknown as S3Client
const short = { tryMs: 5, allMs: 20 }
const { prompt } = asksOf(client, { prompt: short, complete: short, patient: short })
const question = new HeadBucketCommand({ Bucket: 'files' })

beforeEach(() => {
  asked = []
  answers = true
})

describe('a request to the bucket', () => {
  it('is aborted after its timeout', async () => {
    answers = false
    await expect(prompt(question)).rejects.toBeInstanceOf(TimeoutError)
    expect(asked).toMatchObject([{ requestTimeout: 5, abortSignal: { aborted: true } }])
  })

  it('is not aborted once it was answered, because the bytes of an object may take longer', async () => {
    await prompt(question)
    answers = false
    // This request times out after the first one would have.
    await expect(prompt(question)).rejects.toBeInstanceOf(TimeoutError)
    expect(asked.map(({ abortSignal }) => abortSignal.aborted)).toEqual([false, true])
  })

  it('can be aborted by its caller', async () => {
    const caller = new AbortController()
    await prompt(question, { abortSignal: caller.signal })
    expect(asked[0]?.abortSignal.aborted).toBe(false)
    caller.abort()
    expect(asked[0]?.abortSignal.aborted).toBe(true)
  })
})

describe('the default timeouts', () => {
  it('end before a browser gives up on a call, and before the proxy gives up on a confirm', async () => {
    const { prompt, complete } = usualWaits
    expect(prompt.allMs).toBeLessThan(30_000)
    const shipped = new URL('../../../../deploy/nginx/mayfly.conf', import.meta.url)
    const [, seconds] = /proxy_read_timeout +(\d+)s;/.exec(await readFile(shipped, 'utf8')) ?? []
    expect(prompt.allMs + complete.allMs).toBeLessThan(Number(seconds) * 1000)
  })

  it('leave time for a second attempt while a client waits', () => {
    expect(usualWaits.prompt.allMs).toBeGreaterThan(1.5 * usualWaits.prompt.tryMs)
  })
})

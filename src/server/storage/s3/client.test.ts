import { readFile } from 'node:fs/promises'
import { HeadBucketCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { TimeoutError } from '../../timeout.ts'
import { createSenders, defaultTimeouts, nullIfNotFound, orUnavailable } from './client.ts'

function s3Error(name: string): S3ServiceException {
  return new S3ServiceException({ name, $fault: 'client', $metadata: {} })
}

const unavailableError = { name: 'AppError', code: 'UNAVAILABLE', headers: { 'retry-after': '5' } }

describe.each([
  ['orUnavailable', orUnavailable],
  ['nullIfNotFound', nullIfNotFound],
])('%s', (_, mapErrors) => {
  it('returns the response from S3', async () => {
    expect(await mapErrors(Promise.resolve('an answer'))).toBe('an answer')
  })

  it.each([
    s3Error('AccessDenied'),
    s3Error('NoSuchBucket'),
    s3Error('SlowDown'),
    s3Error('InternalError'),
    new Error('connect ECONNREFUSED'),
    new TimeoutError(20_000),
    'a thrown string',
  ])('maps %s to UNAVAILABLE and keeps the cause', async (cause) => {
    const thrown = await mapErrors(Promise.reject(cause)).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ ...unavailableError, cause })
  })
})

const notFoundErrorNames = ['NotFound', 'NoSuchKey', 'NoSuchUpload', 'InvalidPart']

it.each(notFoundErrorNames)(
  '%s is null for nullIfNotFound and an error for orUnavailable',
  async (name) => {
    expect(await nullIfNotFound(Promise.reject(s3Error(name)))).toBeNull()
    await expect(orUnavailable(Promise.reject(s3Error(name)))).rejects.toMatchObject(
      unavailableError,
    )
  },
)

it('a NoSuchKey error from another library does not mean "not found"', async () => {
  const error = Object.assign(new Error('no such key'), { name: 'NoSuchKey' })
  await expect(nullIfNotFound(Promise.reject(error))).rejects.toMatchObject(unavailableError)
})

/** The options of all requests sent so far, oldest first. */
let sentOptions: { requestTimeout: number; abortSignal: AbortSignal }[]
let shouldRespond: boolean

const client = {
  send(_: unknown, options: (typeof sentOptions)[number]) {
    sentOptions.push(options)
    return shouldRespond ? Promise.resolve({}) : new Promise(() => {})
  },
} as unknown as S3Client
const shortTimeout = { attemptMs: 5, totalMs: 20 }
const { interactive } = createSenders(client, {
  interactive: shortTimeout,
  complete: shortTimeout,
  background: shortTimeout,
})
const command = new HeadBucketCommand({ Bucket: 'files' })

beforeEach(() => {
  sentOptions = []
  shouldRespond = true
})

describe('a request to the bucket', () => {
  it('is aborted after its timeout', async () => {
    shouldRespond = false
    await expect(interactive(command)).rejects.toBeInstanceOf(TimeoutError)
    expect(sentOptions).toMatchObject([{ requestTimeout: 5, abortSignal: { aborted: true } }])
  })

  it('is not aborted after its response, because the bytes of an object may take longer', async () => {
    await interactive(command)
    shouldRespond = false
    // By the time this request times out, the first one's timeout has passed too.
    await expect(interactive(command)).rejects.toBeInstanceOf(TimeoutError)
    expect(sentOptions.map(({ abortSignal }) => abortSignal.aborted)).toEqual([false, true])
  })

  it('can be aborted by its caller', async () => {
    const callerController = new AbortController()
    await interactive(command, { abortSignal: callerController.signal })
    expect(sentOptions[0]?.abortSignal.aborted).toBe(false)
    callerController.abort()
    expect(sentOptions[0]?.abortSignal.aborted).toBe(true)
  })
})

describe('the default timeouts', () => {
  it('end before a browser gives up on a call, and before the proxy gives up on a confirm', async () => {
    const { interactive, complete } = defaultTimeouts
    expect(interactive.totalMs).toBeLessThan(30_000)
    const nginxConfig = new URL('../../../../deploy/nginx/mayfly.conf', import.meta.url)
    const [, seconds] =
      /proxy_read_timeout +(\d+)s;/.exec(await readFile(nginxConfig, 'utf8')) ?? []
    expect(interactive.totalMs + complete.totalMs).toBeLessThan(Number(seconds) * 1000)
  })

  it('leave time for a second attempt while a client waits', () => {
    expect(defaultTimeouts.interactive.totalMs).toBeGreaterThan(
      1.5 * defaultTimeouts.interactive.attemptMs,
    )
  })
})

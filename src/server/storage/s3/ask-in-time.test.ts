import { readFile } from 'node:fs/promises'
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { TimeoutError } from '../../timeout.ts'
import { asksOf, usualWaits } from './ask-in-time.ts'

/** What the client was asked, the oldest first. */
let asked: { requestTimeout: number; abortSignal: AbortSignal }[]
/** Whether the client answers. */
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
  it('is given up after its time, and stopped', async () => {
    answers = false
    await expect(prompt(question)).rejects.toBeInstanceOf(TimeoutError)
    expect(asked).toMatchObject([{ requestTimeout: 5, abortSignal: { aborted: true } }])
  })

  it('is not stopped once it was answered: the bytes of an object may take longer', async () => {
    await prompt(question)
    answers = false
    // The time of this one ends after that of the first.
    await expect(prompt(question)).rejects.toBeInstanceOf(TimeoutError)
    expect(asked.map(({ abortSignal }) => abortSignal.aborted)).toEqual([false, true])
  })

  it('can be stopped by whoever makes it', async () => {
    const caller = new AbortController()
    await prompt(question, { abortSignal: caller.signal })
    expect(asked[0]?.abortSignal.aborted).toBe(false)
    caller.abort()
    expect(asked[0]?.abortSignal.aborted).toBe(true)
  })
})

describe('the usual times', () => {
  it('are over before a browser gives a call up, and before the proxy gives a confirm up', async () => {
    const { prompt, complete } = usualWaits
    expect(prompt.allMs).toBeLessThan(30_000)
    const shipped = new URL('../../../../deploy/nginx/mayfly.conf', import.meta.url)
    const [, seconds] = /proxy_read_timeout +(\d+)s;/.exec(await readFile(shipped, 'utf8')) ?? []
    expect(prompt.allMs + complete.allMs).toBeLessThan(Number(seconds) * 1000)
  })

  it('leave room for a second try where somebody waits', () => {
    expect(usualWaits.prompt.allMs).toBeGreaterThan(1.5 * usualWaits.prompt.tryMs)
  })
})

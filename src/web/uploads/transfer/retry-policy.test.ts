import { beforeEach, describe, expect, test } from 'vitest'
import { expectGrowingDelays } from '../../../../tests/support/retry-delays.ts'
import { callError } from '../../../../tests/support/upload-fixtures.ts'
import type { FailedAttempt } from '../interruption.ts'
import {
  createRetries,
  firstWaitMs,
  isServerUp,
  isTransient,
  maxAttempts,
  maxRetryAfterMs,
  maxWaitMs,
  type RetryDeps,
  type RetryOptions,
} from './retry-policy.ts'

const noResponse: FailedAttempt = {}
const busyFailure: FailedAttempt = { status: 503, retryAfterMs: 50_000 }

let controller: AbortController
let waitsMs: number[]
let interruptions: string[]
let isReady: () => boolean
let options: RetryOptions
let deps: RetryDeps

beforeEach(() => {
  controller = new AbortController()
  waitsMs = []
  interruptions = []
  isReady = () => true
  options = {
    signal: controller.signal,
    onInterrupted: (interruption) => interruptions.push(interruption),
  }
  deps = {
    wait: async (ms) => {
      waitsMs.push(ms)
    },
    random: () => 0,
    isServerReady: async () => isReady(),
  }
})

/** Returns the number of attempts, at most `maxAttempts`, if each of them fails with `failure`. */
async function countAttempts(failure: FailedAttempt, limit = 100): Promise<number> {
  const retries = createRetries(options, deps)
  let attemptCount = 1
  while (attemptCount < limit && (await retries.waitForNext(failure))) attemptCount += 1
  return attemptCount
}

test('a failed attempt is reported and retried with increasing waits up to a limit', async () => {
  expect(await countAttempts(noResponse)).toBe(maxAttempts)
  expectGrowingDelays(waitsMs)
  expect(interruptions).toEqual(Array(maxAttempts).fill('no-response'))
})

test('the waits are randomized', async () => {
  deps.random = () => 1
  await countAttempts(noResponse, 2)
  expect(waitsMs).toEqual([1.3 * firstWaitMs])
})

test('a wait honors Retry-After up to a limit', async () => {
  await countAttempts({ status: 503, retryAfterMs: 20_000 }, 2)
  await countAttempts({ status: 503, retryAfterMs: 86_400_000 }, 2)
  expect(waitsMs).toEqual([20_000, maxRetryAfterMs])
})

test.each([403, 416])('%i is retried immediately the first time', async (status) => {
  expect(await countAttempts({ status })).toBe(maxAttempts + 1)
  expect(waitsMs).toHaveLength(maxAttempts - 1)
  expect(waitsMs[0]).toBeGreaterThanOrEqual(firstWaitMs)
})

describe("failures aren't counted", () => {
  test('while the server is down', async () => {
    isReady = () => false
    expect(await countAttempts(noResponse)).toBe(100)
    expect(waitsMs.at(-1)).toBe(maxWaitMs)
  })

  test('when the server is busy', async () => {
    expect(await countAttempts(busyFailure)).toBe(100)
    expect(new Set(waitsMs)).toEqual(new Set([50_000]))
    expect(new Set(interruptions)).toEqual(new Set(['busy']))
  })

  test('while the disk is full', async () => {
    isReady = () => false
    const diskFullFailure = { status: 503, code: 'DISK_FULL', retryAfterMs: 60_000 }
    expect(await countAttempts(diskFullFailure)).toBe(100)
    expect(new Set(waitsMs)).toEqual(new Set([60_000]))
    expect(new Set(interruptions)).toEqual(new Set(['disk-full']))
  })

  test('once storage has received more bytes', async () => {
    let receivedBytes = 0
    options.progress = () => {
      receivedBytes += 1
      return receivedBytes
    }
    expect(await countAttempts(noResponse)).toBe(100)
    expect(waitsMs.at(-1)).toBe(maxWaitMs)
  })
})

test('failures count again when the server is back', async () => {
  isReady = () => waitsMs.length >= 50
  expect(await countAttempts(noResponse)).toBe(50 + maxAttempts)
})

test('the stall timeout doubles with each attempt, up to the request timeout', async () => {
  const retries = createRetries(options, deps)
  const stallSeconds = [retries.stallMs() / 1000]
  while (await retries.waitForNext(noResponse)) stallSeconds.push(retries.stallMs() / 1000)
  expect(stallSeconds).toEqual([30, 60, 120, 240, 480, 600, 600, 600])
})

describe('the signal', () => {
  const reason = new Error('Cancelled by user')

  test('prevents any wait if it is already aborted', async () => {
    controller.abort(reason)
    await expect(countAttempts(noResponse)).rejects.toBe(reason)
    expect([waitsMs, interruptions]).toEqual([[], []])
  })

  test('aborted during the readiness check prevents any wait', async () => {
    deps.isServerReady = async () => {
      controller.abort(reason)
      return false
    }
    await expect(countAttempts(noResponse)).rejects.toBe(reason)
    expect(waitsMs).toEqual([])
  })
})

test("transient errors can be retried, permanent ones can't", () => {
  for (const status of [null, 408, 425, 429, 500, 502, 503, 504, 507, 522]) {
    expect(isTransient({ status })).toBe(true)
  }
  for (const status of [400, 401, 403, 404, 409, 413, 501])
    expect(isTransient({ status })).toBe(false)
})

describe('the server', () => {
  test.each([401, 403, 404, 429])('is up if a proxy responds with %i instead', (status) => {
    expect(isServerUp({ ok: false, error: callError(status) })).toBe(true)
  })

  test.each([null, 500, 502, 503, 504])('is down if the response is %s', (status) => {
    expect(isServerUp({ ok: false, error: callError(status) })).toBe(false)
  })

  test('is up if it is ready', () => {
    expect(isServerUp({ ok: true, value: {} })).toBe(true)
  })
})

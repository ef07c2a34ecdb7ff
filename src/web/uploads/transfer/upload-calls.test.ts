import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { resultWithin } from '../../../../tests/support/retry-delays.ts'
import { browserTimers } from '../timers.ts'
import type { CallError, Outcome } from '../upload-errors.ts'
import { wait } from './connection.ts'
import {
  firstWaitMs,
  isTransient,
  maxAttempts,
  maxRetryAfterMs,
  maxWaitMs,
} from './retry-policy.ts'
import { type CallDeps, callWithRetries, canRetryStart, requireValue } from './upload-calls.ts'

function makeFailedOutcome(
  status: number | null,
  retryAfterMs: number | null = null,
): Outcome<never> {
  const callError: CallError = { status, code: null, message: null, retryAfterMs }
  return { ok: false, error: callError }
}

let controller: AbortController
let deps: CallDeps
let waitsMs: number[]
let interruptionCount: number
let isReady: boolean

beforeEach(() => {
  vi.useFakeTimers()
  controller = new AbortController()
  waitsMs = []
  interruptionCount = 0
  isReady = true
  deps = {
    timers: browserTimers,
    wait: (ms, signal) => {
      waitsMs.push(ms)
      return wait(ms, signal)
    },
    random: () => 0,
    isServerReady: async () => isReady,
  }
})
afterEach(() => {
  const timerCount = vi.getTimerCount()
  vi.useRealTimers()
  expect(timerCount).toBe(0)
})

function makeOptions() {
  return {
    signal: controller.signal,
    onInterrupted: () => {
      interruptionCount += 1
    },
  }
}

/**
 * Creates a call that gets these results in order and repeats the last one. Null means no response.
 */
function createCall(outcomes: (Outcome<string> | null)[]) {
  const callTimes: number[] = []
  const call = (_: string, limit: AbortSignal): Promise<Outcome<string>> => {
    callTimes.push(Date.now())
    const nextOutcome = outcomes.length > 1 ? outcomes.shift() : outcomes[0]
    if (nextOutcome) return Promise.resolve(nextOutcome)
    return new Promise((resolve) =>
      limit.addEventListener('abort', () => resolve(makeFailedOutcome(null)), { once: true }),
    )
  }
  return { asked: callTimes, call, input: 'what?', timeoutMs: 30_000, shouldRetry: isTransient }
}
const success: Outcome<string> = { ok: true, value: 'yes' }

describe('a call', () => {
  test('without a response times out and is retried', async () => {
    const hangingCall = createCall([null, success])
    const start = Date.now()
    const outcomePromise = callWithRetries(hangingCall, makeOptions(), deps)
    const durationMs = hangingCall.timeoutMs + firstWaitMs
    expect(await resultWithin(durationMs, outcomePromise)).toEqual(success)
    expect(hangingCall.asked.map((time) => time - start)).toEqual([0, durationMs])
    expect(interruptionCount).toBe(1)
  })

  test('that never gets a response fails without a status', async () => {
    const hangingCall = createCall([null])
    const outcomePromise = callWithRetries(hangingCall, makeOptions(), deps)
    const durationMs = maxAttempts * (hangingCall.timeoutMs + maxWaitMs)
    expect(await resultWithin(durationMs, outcomePromise)).toEqual(makeFailedOutcome(null))
    expect(hangingCall.asked).toHaveLength(maxAttempts)
  })

  test('is retried no sooner than Retry-After says, up to a limit', async () => {
    const busyCall = createCall([
      makeFailedOutcome(429, 20_000),
      makeFailedOutcome(503, 86_400_000),
      makeFailedOutcome(503),
      success,
    ])
    const outcomePromise = callWithRetries(busyCall, makeOptions(), deps)
    const durationMs = 20_000 + maxRetryAfterMs + maxWaitMs
    expect(await resultWithin(durationMs, outcomePromise)).toEqual(success)
    expect(waitsMs.slice(0, 2)).toEqual([20_000, maxRetryAfterMs])
    expect(waitsMs[2]).toBeGreaterThan(firstWaitMs)
    expect(waitsMs[2]).toBeLessThanOrEqual(maxWaitMs)
  })

  test('ends its wait early when the browser comes back online', async () => {
    deps.wait = async (ms) => {
      waitsMs.push(ms)
    }
    const outcomePromise = callWithRetries(
      createCall([makeFailedOutcome(null), success]),
      makeOptions(),
      deps,
    )
    expect(await resultWithin(0, outcomePromise)).toEqual(success)
    expect(waitsMs).toEqual([firstWaitMs])
  })

  test('is retried as long as the server is down', async () => {
    isReady = false
    const downCall = createCall([
      makeFailedOutcome(null),
      makeFailedOutcome(502),
      makeFailedOutcome(503),
      makeFailedOutcome(null),
    ])
    const outcomePromise = callWithRetries(downCall, makeOptions(), deps)
    await vi.advanceTimersByTimeAsync(200 * maxWaitMs)
    expect(waitsMs.slice(-100)).toEqual(Array(100).fill(maxWaitMs))
    expect(interruptionCount).toBe(waitsMs.length)
    isReady = true
    const durationMs = maxAttempts * maxWaitMs
    expect(await resultWithin(durationMs, outcomePromise)).toEqual(makeFailedOutcome(null))
  })

  test("that fails permanently isn't retried", async () => {
    const failingCall = createCall([makeFailedOutcome(404), success])
    expect(await callWithRetries(failingCall, makeOptions(), deps)).toEqual(makeFailedOutcome(404))
    expect(failingCall.asked).toHaveLength(1)
  })

  test("isn't retried if its own rule forbids it, even if the default allows it", async () => {
    const failingCall = createCall([makeFailedOutcome(500), success])
    const startCall = { ...failingCall, shouldRetry: canRetryStart }
    const outcomePromise = callWithRetries(startCall, makeOptions(), deps)
    expect(await resultWithin(maxWaitMs, outcomePromise)).toEqual(makeFailedOutcome(500))
    expect(failingCall.asked).toHaveLength(1)
  })

  test('stops waiting when its signal is aborted', async () => {
    const reason = new Error('over')
    const outcomePromise = callWithRetries(
      createCall([makeFailedOutcome(503)]),
      makeOptions(),
      deps,
    )
    const rejection = expect(outcomePromise).rejects.toBe(reason)
    await vi.advanceTimersByTimeAsync(100)
    controller.abort(reason)
    await rejection
  })

  test('that is aborted while pending still returns its response, because it may have changed something', async () => {
    const pendingResponse = Promise.withResolvers<Outcome<string>>()
    const slowCall = { ...createCall([]), call: () => pendingResponse.promise }
    const outcomePromise = callWithRetries(slowCall, makeOptions(), deps)
    controller.abort(new Error('over'))
    pendingResponse.resolve(success)
    expect(await resultWithin(0, outcomePromise)).toEqual(success)
  })
})

describe('a response required for a transfer', () => {
  test.each([
    [null, 'network'],
    [401, 'signed-out'],
    [403, 'status'],
    [404, 'gone'],
    [410, 'gone'],
    [500, 'status'],
  ])('with the status %s fails it as %s', (status, kind) => {
    let failure: unknown
    try {
      requireValue(makeFailedOutcome(status))
    } catch (error) {
      failure = error
    }
    expect(failure).toMatchObject({ kind, status })
  })
})

test('a start is retried, except after 500, 507 and a full disk, which the user should see immediately', () => {
  for (const status of [null, 408, 429, 502, 503]) {
    expect(canRetryStart({ status, code: null, message: null })).toBe(true)
  }
  for (const status of [400, 401, 409, 500, 507]) {
    expect(canRetryStart({ status, code: null, message: null })).toBe(false)
  }
  expect(canRetryStart({ status: 503, code: 'UNAVAILABLE', message: null })).toBe(true)
  expect(canRetryStart({ status: 503, code: 'DISK_FULL', message: null })).toBe(false)
})

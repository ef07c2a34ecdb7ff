import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { resultWithin } from '../../../../tests/support/waits.ts'
import { browserTimers } from '../timers.ts'
import type { CallError, Outcome } from '../upload-errors.ts'
import { wait } from './connection.ts'
import { firstWaitMs, maxRetryAfterMs, maxWaitMs, mayPass, uploadLimit } from './retry-policy.ts'
import { type CallDeps, callWithRetries, canRetryStart, requireValue } from './upload-calls.ts'

function refused(status: number | null, retryAfterMs: number | null = null): Outcome<never> {
  const callError: CallError = { status, code: null, message: null, retryAfterMs }
  return { ok: false, error: callError }
}

let turn: AbortController
let world: CallDeps
let waits: number[]
let interruptions: number
let isOnline: boolean
let isReady: boolean

beforeEach(() => {
  vi.useFakeTimers()
  turn = new AbortController()
  waits = []
  interruptions = 0
  isOnline = true
  isReady = true
  world = {
    connection: { isOnline: () => isOnline, waitUntilOnline: async () => undefined },
    timers: browserTimers,
    wait: (ms, signal) => {
      waits.push(ms)
      return wait(ms, signal)
    },
    random: () => 0,
    isServerReady: async () => isReady,
  }
})
afterEach(() => {
  const timers = vi.getTimerCount()
  vi.useRealTimers()
  expect(timers).toBe(0)
})

function options() {
  return {
    signal: turn.signal,
    onInterrupted: () => {
      interruptions += 1
    },
  }
}

/**
 * Creates a call that gets these results in order, and then always the last one. Null means no
 * response.
 */
function question(answers: (Outcome<string> | null)[]) {
  const asked: number[] = []
  const call = (_: string, limit: AbortSignal): Promise<Outcome<string>> => {
    asked.push(Date.now())
    const response = answers.length > 1 ? answers.shift() : answers[0]
    if (response) return Promise.resolve(response)
    return new Promise((resolve) =>
      limit.addEventListener('abort', () => resolve(refused(null)), { once: true }),
    )
  }
  return { asked, call, input: 'what?', withinMs: 30_000, isPassing: mayPass }
}
const yes: Outcome<string> = { ok: true, value: 'yes' }

describe('a call', () => {
  test('without a response times out and is retried', async () => {
    const hanging = question([null, yes])
    const start = Date.now()
    const response = callWithRetries(hanging, options(), world)
    const inMs = hanging.withinMs + firstWaitMs
    expect(await resultWithin(inMs, response)).toEqual(yes)
    expect(hanging.asked.map((at) => at - start)).toEqual([0, inMs])
    expect(interruptions).toBe(1)
  })

  test('that never gets a response ends without one', async () => {
    const hanging = question([null])
    const response = callWithRetries(hanging, options(), world)
    const inMs = uploadLimit.maxAttempts * (hanging.withinMs + maxWaitMs)
    expect(await resultWithin(inMs, response)).toEqual(refused(null))
    expect(hanging.asked).toHaveLength(uploadLimit.maxAttempts)
  })

  test('is retried no sooner than Retry-After says, up to a limit', async () => {
    const busy = question([refused(429, 20_000), refused(503, 86_400_000), refused(503), yes])
    const response = callWithRetries(busy, options(), world)
    const inMs = 20_000 + maxRetryAfterMs + maxWaitMs
    expect(await resultWithin(inMs, response)).toEqual(yes)
    expect(waits.slice(0, 2)).toEqual([20_000, maxRetryAfterMs])
    expect(waits[2]).toBeGreaterThan(firstWaitMs)
    expect(waits[2]).toBeLessThanOrEqual(maxWaitMs)
  })

  test('ends its wait early when the browser comes back online', async () => {
    world.wait = async (ms) => {
      waits.push(ms)
    }
    const response = callWithRetries(question([refused(null), yes]), options(), world)
    expect(await resultWithin(0, response)).toEqual(yes)
    expect(waits).toEqual([firstWaitMs])
  })

  test("doesn't count attempts while the browser is offline", async () => {
    isOnline = false
    const tries = Array.from({ length: 5 * uploadLimit.maxAttempts }, () => refused(null))
    expect(await callWithRetries(question([...tries, yes]), options(), world)).toEqual(yes)
  })

  test('is retried as long as the server is down', async () => {
    isReady = false
    const away = question([refused(null), refused(502), refused(503), refused(null)])
    const response = callWithRetries(away, options(), world)
    await vi.advanceTimersByTimeAsync(200 * maxWaitMs)
    expect(waits.slice(-100)).toEqual(Array(100).fill(maxWaitMs))
    expect(interruptions).toBe(waits.length)
    isReady = true
    const inMs = uploadLimit.maxAttempts * maxWaitMs
    expect(await resultWithin(inMs, response)).toEqual(refused(null))
  })

  test("that is refused permanently isn't retried", async () => {
    const refusing = question([refused(404), yes])
    expect(await callWithRetries(refusing, options(), world)).toEqual(refused(404))
    expect(refusing.asked).toHaveLength(1)
  })

  test("isn't retried if its own rule says so, even if the default would", async () => {
    const failing = question([refused(500), yes])
    const start = { ...failing, isPassing: canRetryStart }
    const response = callWithRetries(start, options(), world)
    expect(await resultWithin(maxWaitMs, response)).toEqual(refused(500))
    expect(failing.asked).toHaveLength(1)
  })

  test('stops waiting when its signal is aborted', async () => {
    const reason = new Error('over')
    const response = callWithRetries(question([refused(503)]), options(), world)
    const failing = expect(response).rejects.toBe(reason)
    await vi.advanceTimersByTimeAsync(100)
    turn.abort(reason)
    await failing
  })

  test('that is aborted while pending still returns its response, because it may have changed something', async () => {
    const answered = Promise.withResolvers<Outcome<string>>()
    const slow = { ...question([]), call: () => answered.promise }
    const response = callWithRetries(slow, options(), world)
    turn.abort(new Error('over'))
    answered.resolve(yes)
    expect(await resultWithin(0, response)).toEqual(yes)
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
      requireValue(refused(status))
    } catch (error) {
      failure = error
    }
    expect(failure).toMatchObject({ kind, status })
  })
})

test('a start is retried except after 500, 507 and a full disk, which the user should see immediately', () => {
  for (const status of [null, 408, 429, 502, 503]) {
    expect(canRetryStart({ status, code: null, message: null })).toBe(true)
  }
  for (const status of [400, 401, 409, 500, 507]) {
    expect(canRetryStart({ status, code: null, message: null })).toBe(false)
  }
  expect(canRetryStart({ status: 503, code: 'UNAVAILABLE', message: null })).toBe(true)
  expect(canRetryStart({ status: 503, code: 'DISK_FULL', message: null })).toBe(false)
})

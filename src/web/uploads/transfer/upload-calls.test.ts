import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { resultWithin } from '../../../../tests/support/waits.ts'
import { browserTimers } from '../timers.ts'
import type { Outcome, Refusal } from '../upload-errors.ts'
import { wait } from './connection.ts'
import { firstWaitMs, longestAskedMs, longestWaitMs, mayPass, uploadLimit } from './retry-policy.ts'
import { type CallDeps, mayStartAgain, requireAnswer, untilAnswered } from './upload-calls.ts'

function refused(status: number | null, retryAfterMs: number | null = null): Outcome<never> {
  const refusal: Refusal = { status, code: null, message: null, retryAfterMs }
  return { ok: false, refusal }
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
    connection: { isOnline: () => isOnline, untilOnline: async () => undefined },
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
 * Makes a call that gets these answers one after another, and then always the last one. For null,
 * the call never gets an answer.
 */
function question(answers: (Outcome<string> | null)[]) {
  const asked: number[] = []
  const call = (_: string, limit: AbortSignal): Promise<Outcome<string>> => {
    asked.push(Date.now())
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer) return Promise.resolve(answer)
    return new Promise((resolve) =>
      limit.addEventListener('abort', () => resolve(refused(null)), { once: true }),
    )
  }
  return { asked, call, input: 'what?', withinMs: 30_000, isPassing: mayPass }
}
const yes: Outcome<string> = { ok: true, value: 'yes' }

describe('a call', () => {
  test('that is never answered is ended in time and made again', async () => {
    const hanging = question([null, yes])
    const start = Date.now()
    const answer = untilAnswered(hanging, options(), world)
    const inMs = hanging.withinMs + firstWaitMs
    expect(await resultWithin(inMs, answer)).toEqual(yes)
    expect(hanging.asked.map((at) => at - start)).toEqual([0, inMs])
    expect(interruptions).toBe(1)
  })

  test('that is never answered at all ends with nothing', async () => {
    const hanging = question([null])
    const answer = untilAnswered(hanging, options(), world)
    const inMs = uploadLimit.maxTries * (hanging.withinMs + longestWaitMs)
    expect(await resultWithin(inMs, answer)).toEqual(refused(null))
    expect(hanging.asked).toHaveLength(uploadLimit.maxTries)
  })

  test('is made again no sooner than Retry-After asks, within reason', async () => {
    const busy = question([refused(429, 20_000), refused(503, 86_400_000), refused(503), yes])
    const answer = untilAnswered(busy, options(), world)
    const inMs = 20_000 + longestAskedMs + longestWaitMs
    expect(await resultWithin(inMs, answer)).toEqual(yes)
    expect(waits.slice(0, 2)).toEqual([20_000, longestAskedMs])
    expect(waits[2]).toBeGreaterThan(firstWaitMs)
    expect(waits[2]).toBeLessThanOrEqual(longestWaitMs)
  })

  test('waits as the browser says, which ends a wait when it is back online', async () => {
    world.wait = async (ms) => {
      waits.push(ms)
    }
    const answer = untilAnswered(question([refused(null), yes]), options(), world)
    expect(await resultWithin(0, answer)).toEqual(yes)
    expect(waits).toEqual([firstWaitMs])
  })

  test('counts no try while the browser is offline', async () => {
    isOnline = false
    const tries = Array.from({ length: 5 * uploadLimit.maxTries }, () => refused(null))
    expect(await untilAnswered(question([...tries, yes]), options(), world)).toEqual(yes)
  })

  test('is not given up while the server is away, however long', async () => {
    isReady = false
    const away = question([refused(null), refused(502), refused(503), refused(null)])
    const answer = untilAnswered(away, options(), world)
    await vi.advanceTimersByTimeAsync(200 * longestWaitMs)
    expect(waits.slice(-100)).toEqual(Array(100).fill(longestWaitMs))
    expect(interruptions).toBe(waits.length)
    isReady = true
    const inMs = uploadLimit.maxTries * longestWaitMs
    expect(await resultWithin(inMs, answer)).toEqual(refused(null))
  })

  test('that is refused for good is not made again', async () => {
    const refusing = question([refused(404), yes])
    expect(await untilAnswered(refusing, options(), world)).toEqual(refused(404))
    expect(refusing.asked).toHaveLength(1)
  })

  test('that fails for good by its own rule is not made again, although others would be', async () => {
    const failing = question([refused(500), yes])
    const start = { ...failing, isPassing: mayStartAgain }
    const answer = untilAnswered(start, options(), world)
    expect(await resultWithin(longestWaitMs, answer)).toEqual(refused(500))
    expect(failing.asked).toHaveLength(1)
  })

  test('waits no longer once its turn is over', async () => {
    const reason = new Error('over')
    const answer = untilAnswered(question([refused(503)]), options(), world)
    const failing = expect(answer).rejects.toBe(reason)
    await vi.advanceTimersByTimeAsync(100)
    turn.abort(reason)
    await failing
  })

  test('whose turn ends meanwhile is answered all the same: it may have done something', async () => {
    const answered = Promise.withResolvers<Outcome<string>>()
    const slow = { ...question([]), call: () => answered.promise }
    const answer = untilAnswered(slow, options(), world)
    turn.abort(new Error('over'))
    answered.resolve(yes)
    expect(await resultWithin(0, answer)).toEqual(yes)
  })
})

describe('the answer that a transfer needs', () => {
  test.each([
    [null, 'network'],
    [401, 'signed-out'],
    [403, 'status'],
    [404, 'gone'],
    [410, 'gone'],
    [500, 'status'],
  ])('%s fails it as %s', (status, kind) => {
    let failure: unknown
    try {
      requireAnswer(refused(status))
    } catch (error) {
      failure = error
    }
    expect(failure).toMatchObject({ kind, status })
  })
})

test('a start is made again but for 500, 507 and a full disk: nothing is lost by it, and the person hears of it at once', () => {
  for (const status of [null, 408, 429, 502, 503]) {
    expect(mayStartAgain({ status, code: null, message: null })).toBe(true)
  }
  for (const status of [400, 401, 409, 500, 507]) {
    expect(mayStartAgain({ status, code: null, message: null })).toBe(false)
  }
  expect(mayStartAgain({ status: 503, code: 'UNAVAILABLE', message: null })).toBe(true)
  expect(mayStartAgain({ status: 503, code: 'DISK_FULL', message: null })).toBe(false)
})

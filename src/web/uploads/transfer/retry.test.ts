import { beforeEach, describe, expect, test } from 'vitest'
import { type RetryDeps, type RetryOptions, retry, type TryEnd } from './retry.ts'
import { noTries, type Tries, uploadLimit } from './retry-policy.ts'
import type { StorageAnswer } from './storage-request.ts'

const lost: TryEnd<never> = { ok: false, request: 'put', answer: { kind: 'network' } }
const done: TryEnd<string> = { ok: true, value: 'done' }
function answered(status: number, retryAfterMs: number | null = null): TryEnd<never> {
  const answer: StorageAnswer = {
    kind: 'answer',
    status,
    code: null,
    uploadOffset: null,
    retryAfterMs,
  }
  return { ok: false, request: 'put', answer }
}

let cancel: AbortController
let log: string[]
let isOnline: boolean
let isReady: () => boolean
let options: RetryOptions
let deps: RetryDeps

beforeEach(() => {
  cancel = new AbortController()
  log = []
  isOnline = true
  isReady = () => true
  options = { signal: cancel.signal, onInterrupted: (why) => log.push(why) }
  deps = {
    connection: {
      isOnline: () => isOnline,
      untilOnline: async () => void (isOnline || log.push('until online')),
    },
    wait: async (ms, signal) => {
      log.push(`${ms} ms`)
      signal.throwIfAborted()
    },
    random: () => 0,
    isServerReady: async () => {
      log.push('ready?')
      return isReady()
    },
  }
})

/**
 * Makes tries that end like this, one after another. Further tries end like the last one. The
 * history that each try gets is kept.
 */
function ending(...ends: TryEnd<string>[]) {
  const told: Tries[] = []
  const attempt = async (tries: Tries): Promise<TryEnd<string>> => {
    told.push(tries)
    log.push('try')
    return ends[Math.min(told.length, ends.length) - 1] ?? done
  }
  return { attempt, told }
}

test('what succeeds is done once', async () => {
  expect(await retry(ending(done).attempt, options, deps)).toBe(done)
  expect(log).toEqual(['try'])
})

test('what fails is told, waits, and is done again with what has happened so far', async () => {
  const { attempt, told } = ending(lost, lost, done)
  expect(await retry(attempt, options, deps)).toBe(done)
  expect(log).toEqual(['try', 'no-answer', '3000 ms', 'try', 'no-answer', '6000 ms', 'try'])
  expect(told.map(({ failed }) => failed)).toEqual([0, 1, 2])
  expect(told.map(({ askStorage }) => askStorage)).toEqual([false, true, true])
})

test('what may be put right at once neither waits nor is told', async () => {
  expect(await retry(ending(answered(403), done).attempt, options, deps)).toBe(done)
  expect(log).toEqual(['try', 'try'])
})

test('what no further try cures is not done again', async () => {
  expect(await retry(ending(answered(413), done).attempt, options, deps)).toEqual(answered(413))
  expect(log).toEqual(['try'])
})

test('what is rejected ends it', async () => {
  const error = new Error('unreadable')
  await expect(retry(() => Promise.reject(error), options, deps)).rejects.toBe(error)
})

test('the server is asked before the last two tries, and the last end is answered', async () => {
  expect(await retry(ending(lost).attempt, options, deps)).toBe(lost)
  expect(log.filter((one) => one === 'try')).toHaveLength(uploadLimit.maxTries)
  expect(log.slice(-7)).toEqual([
    'try',
    'no-answer',
    'ready?',
    '30000 ms',
    'try',
    'no-answer',
    'ready?',
  ])
})

test('while the server is away it goes on, and is told once for each try', async () => {
  isReady = () => log.length > 500
  expect(await retry(ending(lost).attempt, options, deps)).toBe(lost)
  const count = (what: string) => log.filter((one) => one === what).length
  expect(count('try')).toBeGreaterThan(100)
  expect(count('no-answer')).toBe(count('try'))
})

test('a server that names the time of the next try is waited for, and not asked', async () => {
  const busy = answered(503, 5000)
  expect(await retry(ending(...Array(50).fill(busy), done).attempt, options, deps)).toBe(done)
  expect(log).not.toContain('ready?')
  expect(log.slice(0, 3)).toEqual(['try', 'not-ready', '5000 ms'])
})

test('offline it waits for nothing but the connection', async () => {
  isOnline = false
  const { attempt, told } = ending(...Array(50).fill(lost), done)
  expect(await retry(attempt, options, deps)).toBe(done)
  expect(new Set(log)).toEqual(new Set(['try', 'no-answer', 'until online']))
  expect(told.at(-1)).toMatchObject({ failed: 0, withoutProgress: 0 })
})

test('it begins with what has happened before, and ends where it is told', async () => {
  const before = { ...noTries, failed: 2, withoutProgress: 2 }
  const limit = { maxTries: 4, isPatient: false }
  await retry(ending(lost).attempt, { ...options, tries: before, limit }, deps)
  expect(log).toEqual(['try', 'no-answer', '12000 ms', 'try'])
})

describe('the signal', () => {
  const reason = new Error('Cancelled by user')

  test('ends a wait with its reason', async () => {
    deps.wait = async (_, signal) => {
      cancel.abort(reason)
      signal.throwIfAborted()
    }
    await expect(retry(ending(lost).attempt, options, deps)).rejects.toBe(reason)
  })

  test('ends no try that is under way, and none follows', async () => {
    const attempt = async () => {
      log.push('try')
      cancel.abort(reason)
      return lost
    }
    expect(await retry(attempt, options, deps)).toBe(lost)
    expect(log).toEqual(['try'])
  })

  test('that fires while the server is asked lets nothing follow', async () => {
    deps.isServerReady = async () => {
      cancel.abort(reason)
      return false
    }
    expect(await retry(ending(lost).attempt, options, deps)).toBe(lost)
    expect(log.filter((one) => one === 'try')).toHaveLength(7)
  })
})

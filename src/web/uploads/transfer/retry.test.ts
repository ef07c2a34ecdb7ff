import { beforeEach, describe, expect, test } from 'vitest'
import { Retries, type RetryDeps, type RetryOptions } from './retry.ts'
import { type FailedTry, type Tries, uploadLimit } from './retry-policy.ts'
import type { StorageAnswer } from './storage-request.ts'

const lost: FailedTry = { request: 'put', answer: { kind: 'network' } }
const done = null
function answered(status: number, retryAfterMs: number | null = null): FailedTry {
  const answer: StorageAnswer = {
    kind: 'answer',
    status,
    code: null,
    uploadOffset: null,
    retryAfterMs,
  }
  return { request: 'put', answer }
}

let cancel: AbortController
let log: string[]
let waits: number[]
let isOnline: boolean
let isReady: () => boolean
let options: RetryOptions
let deps: RetryDeps

beforeEach(() => {
  cancel = new AbortController()
  log = []
  waits = []
  isOnline = true
  isReady = () => true
  options = { signal: cancel.signal, onInterrupted: (why) => log.push(why) }
  deps = {
    connection: {
      isOnline: () => isOnline,
      untilOnline: async () => void (isOnline || log.push('until online')),
    },
    wait: async (ms, signal) => {
      log.push('wait')
      waits.push(ms)
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
 * Makes attempts that end as `ends` lists, one after another. After the last entry, further
 * attempts end like it. Stops when an attempt succeeds or no further one is allowed. Returns
 * whether an attempt succeeded, and the history before each one.
 */
async function request(ends: (FailedTry | null)[], retries = new Retries(options, deps)) {
  const told: Tries[] = []
  for (;;) {
    log.push('try')
    told.push(retries.tries)
    const failed = ends[Math.min(told.length, ends.length) - 1] ?? null
    if (!failed || !(await retries.waitForNext(failed))) return { isDone: !failed, told }
  }
}

test('what fails is told, waits, and is done again with what has happened so far', async () => {
  const { isDone, told } = await request([lost, lost, done])
  expect(isDone).toBe(true)
  expect(log).toEqual(['try', 'no-answer', 'wait', 'try', 'no-answer', 'wait', 'try'])
  expect(waits[1]).toBeGreaterThan(waits[0] ?? Infinity)
  expect(told.map(({ failed }) => failed)).toEqual([0, 1, 2])
  expect(told.map(({ askStorage }) => askStorage)).toEqual([false, true, true])
})

test('what may be put right at once neither waits nor is told', async () => {
  expect(await request([answered(403), done])).toMatchObject({ isDone: true })
  expect(log).toEqual(['try', 'try'])
})

test('what no further try cures is not done again', async () => {
  expect(await request([answered(413), done])).toMatchObject({ isDone: false })
  expect(log).toEqual(['try'])
})

test('the server is asked before the last two tries', async () => {
  expect(await request([lost])).toMatchObject({ isDone: false })
  expect(log.filter((one) => one === 'try')).toHaveLength(uploadLimit.maxTries)
  const last = ['try', 'no-answer', 'ready?']
  expect(log.slice(-7)).toEqual([...last, 'wait', ...last])
})

test('while the server is away it goes on, and is told once for each try', async () => {
  isReady = () => log.length > 500
  expect(await request([lost])).toMatchObject({ isDone: false })
  const count = (what: string) => log.filter((one) => one === what).length
  expect(count('try')).toBeGreaterThan(100)
  expect(count('no-answer')).toBe(count('try'))
})

test('a server that names the time of the next try is waited for, and not asked', async () => {
  const busy = answered(503, 50_000)
  expect(await request([...Array(50).fill(busy), done])).toMatchObject({ isDone: true })
  expect(log).not.toContain('ready?')
  expect(log.slice(0, 3)).toEqual(['try', 'busy', 'wait'])
  expect(Math.min(...waits)).toBe(50_000)
})

test('a full disk is told, waited for while the server is not ready, and then given up', async () => {
  const { answer } = answered(503, 60_000)
  const full: FailedTry = {
    request: 'put',
    answer: { ...answer, code: 'DISK_FULL' } as StorageAnswer,
  }
  isReady = () => waits.length >= 50
  expect(await request([full])).toMatchObject({ isDone: false })
  expect(waits.length).toBeGreaterThanOrEqual(50)
  expect(new Set(waits)).toEqual(new Set([60_000]))
  expect(log.filter((one) => one === 'disk-full')).toHaveLength(waits.length + 1)
})

test('offline it waits for nothing but the connection', async () => {
  isOnline = false
  const { isDone, told } = await request([...Array(50).fill(lost), done])
  expect(isDone).toBe(true)
  expect(new Set(log)).toEqual(new Set(['try', 'no-answer', 'until online']))
  expect(told.at(-1)).toMatchObject({ failed: 0, withoutProgress: 0 })
})

test('it goes on with what has happened before, and ends where it is told', async () => {
  options.limit = { maxTries: 4, isPatient: false }
  const retries = new Retries(options, deps)
  await request([lost, lost, done], retries)
  log.length = 0
  expect(await request([lost], retries)).toMatchObject({ isDone: false })
  expect(log).toEqual(['try', 'no-answer', 'wait', 'try'])
})

describe('the signal', () => {
  const reason = new Error('Cancelled by user')

  test('ends a wait with its reason', async () => {
    deps.wait = async (_, signal) => {
      cancel.abort(reason)
      signal.throwIfAborted()
    }
    await expect(request([lost])).rejects.toBe(reason)
  })

  test('lets nothing follow a try during which it fired', async () => {
    cancel.abort(reason)
    expect(await request([lost])).toMatchObject({ isDone: false })
    expect(log).toEqual(['try'])
  })

  test('that fires while the server is asked lets nothing follow', async () => {
    deps.isServerReady = async () => {
      cancel.abort(reason)
      return false
    }
    expect(await request([lost])).toMatchObject({ isDone: false })
    expect(log.filter((one) => one === 'try')).toHaveLength(uploadLimit.maxTries - 1)
  })
})

import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../tests/support/postgres-server.ts'
import { type TestClock, testClock } from '../../../tests/support/test-clock.ts'
import { AppError } from '../errors.ts'
import { type Counter, counter, createRateLimits, type RateLimits } from './rate-limit.ts'

const windowMs = 60_000

let database: TestDatabase
let pool: pg.Pool
let clock: TestClock
let limits: RateLimits
beforeAll(async () => {
  database = await freshDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 5 })
  // The database may be dropped before the last connection closes. Without a listener, that error
  // would end this process.
  pool.on('error', () => {})
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

beforeEach(async () => {
  await pool.query('delete from rate_limits')
  clock = testClock(new Date('2030-01-01T00:00:00.000Z'))
  limits = createRateLimits({ pool, clock, enabled: true })
})

function makeCounter(key: string, max = 3): Counter {
  return { key, max, windowMs }
}

/** Returns the counts in `rate_limits` by key. */
async function readCounts(): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ key: string; points: number }>('select * from rate_limits')
  return Object.fromEntries(rows.map(({ key, points }) => [key, points]))
}

/** Returns the error if the attempt is refused, or null if it is allowed. */
async function getError(promise: Promise<unknown>): Promise<AppError | null> {
  try {
    await promise
    return null
  } catch (error) {
    if (error instanceof AppError && error.code === 'TOO_MANY_REQUESTS') return error
    throw error
  }
}

describe('spending', () => {
  it('allows exactly the limit in a window', async () => {
    for (let attempt = 0; attempt < 3; attempt += 1) await limits.spend([makeCounter('a')])
    expect(await getError(limits.spend([makeCounter('a')]))).not.toBeNull()
    expect(await readCounts()).toEqual({ a: 3 })
  })

  it('starts a window with the first attempt, and a new one after it ends', async () => {
    await limits.spend([makeCounter('a', 1)])
    clock.advance(windowMs - 1)
    expect(await getError(limits.spend([makeCounter('a', 1)]))).not.toBeNull()
    clock.advance(1)
    expect(await getError(limits.spend([makeCounter('a', 1)]))).toBeNull()
    expect(await readCounts()).toEqual({ a: 1 })
  })

  it('starts a new window after a clock correction', async () => {
    await limits.spend([makeCounter('a', 1)])
    clock.advance(-4 * 24 * 60 * windowMs)
    expect(await limits.check([makeCounter('a', 1)])).toEqual(new Map())
    await limits.spend([makeCounter('a', 1)])
    await expect(limits.spend([makeCounter('a', 1)])).rejects.toThrow(AppError)
    expect(await readCounts()).toEqual({ a: 1 })
  })

  it('increments all counters or none', async () => {
    await limits.spend([makeCounter('full', 1)])
    const [firstCounter, fullCounter, lastCounter] = [
      makeCounter('a'),
      makeCounter('full', 1),
      makeCounter('z'),
    ]
    expect(await getError(limits.spend([firstCounter, fullCounter, lastCounter]))).not.toBeNull()
    expect(await readCounts()).toEqual({ full: 1 })
  })

  it('never exceeds a limit under concurrency', async () => {
    const errorPromises = Array.from({ length: 20 }, () =>
      getError(limits.spend([makeCounter('a', 7)])),
    )
    const errors = (await Promise.all(errorPromises)).filter((error) => error !== null)
    expect(errors).toHaveLength(13)
    expect(await readCounts()).toEqual({ a: 7 })
  })

  it('never deadlocks with the same counters in another order', async () => {
    const counterOrders = [
      [makeCounter('a', 1000), makeCounter('b', 1000)],
      [makeCounter('b', 1000), makeCounter('a', 1000)],
    ]
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => limits.spend(counterOrders[n % 2] as Counter[])),
    )
    expect(await readCounts()).toEqual({ a: 40, b: 40 })
  })

  it('gives each counter its own limit', async () => {
    await limits.spend([makeCounter('b', 2), makeCounter('a', 1)])
    expect(await getError(limits.spend([makeCounter('b', 2)]))).toBeNull()
    expect(await getError(limits.spend([makeCounter('a', 1)]))).not.toBeNull()
  })
})

describe('the error for a full counter', () => {
  it.each([
    [1, 'Too many attempts. Please wait 1 s and try again.', '1'],
    [59_000, 'Too many attempts. Please wait 59 s and try again.', '59'],
    [59_001, 'Too many attempts. Please wait a minute and try again.', '60'],
    [60_001, 'Too many attempts. Please wait 2 minutes and try again.', '61'],
    [900_000, 'Too many attempts. Please wait 15 minutes and try again.', '900'],
  ])('with %i ms left has Retry-After', async (leftMs, message, retryAfter) => {
    await limits.spend([{ key: 'a', max: 1, windowMs: leftMs }])
    const error = await getError(limits.check([makeCounter('a', 1)]))
    expect(error?.message).toBe(message)
    expect(error?.headers).toEqual({ 'retry-after': retryAfter })
  })

  it('has the longest wait if several are full', async () => {
    await limits.spend([{ key: 'short', max: 1, windowMs: 10_000 }])
    await limits.spend([{ key: 'long', max: 1, windowMs: 30_000 }])
    const counters = [makeCounter('short', 1), makeCounter('long', 1)]
    for (const attempt of ['check', 'spend'] as const) {
      const error = await getError(limits[attempt](counters))
      expect(error?.headers).toEqual({ 'retry-after': '30' })
    }
  })
})

describe('checking', () => {
  it('returns the counts and writes nothing', async () => {
    await limits.spend([makeCounter('a')])
    await limits.spend([makeCounter('a'), makeCounter('b')])
    expect(
      await limits.check([makeCounter('a'), makeCounter('b'), makeCounter('unknown')]),
    ).toEqual(
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
    )
    expect(await readCounts()).toEqual({ a: 2, b: 1 })
  })

  it('refuses at the limit, not before', async () => {
    await limits.spend([makeCounter('a', 2)])
    expect(await getError(limits.check([makeCounter('a', 2)]))).toBeNull()
    await limits.spend([makeCounter('a', 2)])
    expect(await getError(limits.check([makeCounter('a', 2)]))).not.toBeNull()
  })

  it('ignores an ended window', async () => {
    await limits.spend([makeCounter('a', 1)])
    clock.advance(windowMs)
    expect(await limits.check([makeCounter('a', 1)])).toEqual(new Map())
  })
})

describe('adding', () => {
  it('counts beyond the limit and never refuses', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) await limits.add([makeCounter('a', 1)])
    expect(await readCounts()).toEqual({ a: 5 })
  })
})

describe('refunding', () => {
  it('removes the row of a single attempt', async () => {
    const spentCounters = await limits.spend([makeCounter('a'), makeCounter('b')])
    await limits.refund(spentCounters)
    expect(await readCounts()).toEqual({})
  })

  it('refunds one attempt, for all counters or only the given ones', async () => {
    await limits.spend([makeCounter('a'), makeCounter('b')])
    const spentCounters = await limits.spend([makeCounter('a'), makeCounter('b')])
    await limits.refund(spentCounters, ['b', 'never spent'])
    expect(await readCounts()).toEqual({ a: 2, b: 1 })
  })

  it("doesn't affect the next window", async () => {
    const spentCounters = await limits.spend([makeCounter('a')])
    clock.advance(windowMs)
    await limits.spend([makeCounter('a')])
    await limits.refund(spentCounters)
    expect(await readCounts()).toEqual({ a: 1 })
  })
})

describe('resetting', () => {
  it('resets only the given counters', async () => {
    await limits.spend([makeCounter('a'), makeCounter('b')])
    await limits.forget(['a', 'unknown'])
    expect(await readCounts()).toEqual({ b: 1 })
  })
})

describe('disabled limits', () => {
  it('count and refuse nothing', async () => {
    const disabledLimits = createRateLimits({ pool, clock, enabled: false })
    for (let attempt = 0; attempt < 3; attempt += 1)
      await disabledLimits.spend([makeCounter('a', 1)])
    await disabledLimits.add([makeCounter('a', 1)])
    await disabledLimits.refund(new Map([['a', 0]]))
    await disabledLimits.forget(['a'])
    expect(await disabledLimits.check([makeCounter('a', 0)])).toEqual(new Map())
    expect(await readCounts()).toEqual({})
  })
})

it('a counter has the limit of its name, and shares its key with no other name', () => {
  const login = counter('loginsByAddress', '192.0.2.1')
  expect(login).toEqual({ key: 'loginsByAddress:192.0.2.1', max: 600, windowMs: 900_000 })
  expect(counter('loginsByAccount', '192.0.2.1').key).not.toBe(login.key)
})

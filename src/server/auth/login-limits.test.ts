import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../tests/support/open-fresh-database.ts'
import { testClock } from '../../../tests/support/test-clock.ts'
import { type Counter, counter, createRateLimits, type RateLimits } from '../http/rate-limit.ts'
import { admitAttempt, type LoginAttempt } from './login-limits.ts'

const clock = testClock(new Date('2026-03-01T12:00:00Z'))

let server: FreshDatabase
let rateLimits: RateLimits
beforeAll(async () => {
  server = await openFreshDatabase()
  rateLimits = createRateLimits({ pool: server.pool, clock, enabled: true })
})
afterEach(async () => {
  await server.pool.query('delete from rate_limits')
})
afterAll(() => server.close())

const unknownAttempt: LoginAttempt = {
  accountHash: 'ada',
  address: '192.0.2.1',
  knownBrowser: null,
}
const knownAttempt: LoginAttempt = { ...unknownAttempt, knownBrowser: 'browser' }

function admit(attempt: LoginAttempt) {
  return admitAttempt({ rateLimits }, attempt)
}

/** Admits `count` logins but doesn't settle them, so they all count as failed. */
async function failLogins(count: number, attempt: (index: number) => LoginAttempt) {
  for (let n = 0; n < count; n += 1) await admit(attempt(n))
}

async function setCounter({ key }: Counter, points: number) {
  const expiresAtMs = clock().getTime() + 15 * 60_000
  await server.pool.query('insert into rate_limits (key, points, expire) values ($1, $2, $3)', [
    key,
    points,
    expiresAtMs,
  ])
}

const rateLimitError = expect.objectContaining({ code: 'TOO_MANY_REQUESTS' })

/** Returns the nonzero counters by limit name. */
async function readCounters(): Promise<Record<string, number>> {
  const { rows } = await server.pool.query<{ key: string; points: number }>(
    'select key, points from rate_limits where points > 0 order by key',
  )
  return Object.fromEntries(rows.map(({ key, points }) => [key.split(':', 1)[0], points]))
}

describe('an unknown browser', () => {
  it('is rejected for 15 minutes after ten failed logins to an account', async () => {
    await failLogins(10, () => unknownAttempt)
    const countersBefore = await readCounters()
    await expect(admit(unknownAttempt)).rejects.toEqual(rateLimitError)
    // Rejected attempts don't count.
    expect(await readCounters()).toEqual(countersBefore)
    clock.advance(15 * 60_000)
    await admit(unknownAttempt)
  })

  it("doesn't affect other IP addresses or other accounts", async () => {
    await failLogins(10, () => unknownAttempt)
    await admit({ ...unknownAttempt, address: '192.0.2.2' })
    await admit({ ...unknownAttempt, accountHash: 'bob' })
  })

  it('is rejected after a hundred failed logins across all accounts', async () => {
    await setCounter(counter('wrongLoginsByAddress', unknownAttempt.address), 99)
    await admit({ ...unknownAttempt, accountHash: 'bob' })
    await expect(admit({ ...unknownAttempt, accountHash: 'another' })).rejects.toEqual(
      rateLimitError,
    )
  })

  it('has each login counted as failed until the password is correct, which resets its counter', async () => {
    await failLogins(3, () => unknownAttempt)
    const admission = await admit(unknownAttempt)
    expect(await readCounters()).toEqual({
      wrongLoginsByAccount: 4,
      wrongLoginsByAccountAndAddress: 4,
      wrongLoginsByAddress: 4,
    })
    await admission.succeed()
    expect(await readCounters()).toEqual({
      loginsByAccount: 1,
      loginsByAddress: 1,
      wrongLoginsByAccount: 3,
      wrongLoginsByAddress: 3,
    })
  })

  it('is not counted if no password was compared', async () => {
    await (await admit(unknownAttempt)).undo()
    expect(await readCounters()).toEqual({})
  })

  it('can sign in to one account at most 120 times', async () => {
    await setCounter(counter('loginsByAccount', unknownAttempt.accountHash), 119)
    await (await admit(unknownAttempt)).succeed()
    await expect(admit(unknownAttempt)).rejects.toEqual(rateLimitError)
    await expect(admit(knownAttempt)).rejects.toEqual(rateLimitError)
    await admit({ ...unknownAttempt, accountHash: 'bob' })
  })
})

describe('an account under attack from many addresses', () => {
  /** Sets the account's count of failed logins, as if they came from other IP addresses. */
  const countGuesses = (guessCount = 60) =>
    setCounter(counter('wrongLoginsByAccount', unknownAttempt.accountHash), guessCount)

  it('allows ten attempts per IP address until 60 logins have failed', async () => {
    await countGuesses(58)
    await failLogins(2, () => unknownAttempt)
  })

  it('then allows each IP address one attempt in 15 minutes', async () => {
    await countGuesses()
    await admit(unknownAttempt)
    await expect(admit(unknownAttempt)).rejects.toEqual(rateLimitError)
    await admit({ ...unknownAttempt, address: '192.0.2.2' })
    clock.advance(15 * 60_000)
    await admit(unknownAttempt)
  })

  it('allows an IP address more attempts after a correct password', async () => {
    await countGuesses()
    await (await admit(unknownAttempt)).succeed()
    await admit(unknownAttempt)
  })

  it('never rejects a known browser', async () => {
    await countGuesses()
    await failLogins(2, () => knownAttempt)
  })
})

describe('a known browser', () => {
  it('has its own ten failed logins, then the limit of an unknown browser', async () => {
    await failLogins(10, () => unknownAttempt)
    await failLogins(10, () => knownAttempt)
    expect(await readCounters()).toMatchObject({
      wrongLoginsByKnownBrowser: 10,
      wrongLoginsByAccountAndAddress: 10,
    })
    await expect(admit(knownAttempt)).rejects.toEqual(rateLimitError)
    await admit({ ...knownAttempt, address: '192.0.2.2' })
    await admit({ ...knownAttempt, knownBrowser: 'another' })
  })

  it('resets its own counter with a correct password, which counts only for the account', async () => {
    await failLogins(9, () => knownAttempt)
    await (await admit(knownAttempt)).succeed()
    expect(await readCounters()).toEqual({ loginsByAccount: 1 })
  })

  it('is not counted if no password was compared', async () => {
    await (await admit(knownAttempt)).undo()
    expect(await readCounters()).toEqual({})
  })

  it('is not treated as unknown when the database is unreachable', async () => {
    const databaseError = new Error('the database is away')
    // Only the first check fails, so falling back to the limit for unknown browsers would succeed.
    const errors = [databaseError]
    const check: RateLimits['check'] = (counters) => {
      const error = errors.pop()
      return error ? Promise.reject(error) : rateLimits.check(counters)
    }
    const flakyLimits: RateLimits = {
      check,
      spend: (counters) => rateLimits.spend(counters),
      add: (counters) => rateLimits.add(counters),
      refund: (spentCounters, keys) => rateLimits.refund(spentCounters, keys),
      forget: (keys) => rateLimits.forget(keys),
    }
    await expect(admitAttempt({ rateLimits: flakyLimits }, knownAttempt)).rejects.toBe(
      databaseError,
    )
  })
})

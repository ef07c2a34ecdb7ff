import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../tests/support/open-fresh-database.ts'
import { testClock } from '../../../tests/support/test-clock.ts'
import { type Counter, counter, createRateLimits, type RateLimits } from '../http/rate-limit.ts'
import { admitTry, type Try } from './login-limits.ts'

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

const stranger: Try = { account: 'ada', address: '192.0.2.1', knownBrowser: null }
const known: Try = { ...stranger, knownBrowser: 'browser' }

function admit(attempt: Try) {
  return admitTry({ rateLimits }, attempt)
}

/** Fails `count` logins by never settling their admissions. */
async function failTimes(count: number, attempt: (at: number) => Try) {
  for (let at = 0; at < count; at += 1) await admit(attempt(at))
}

/** Sets a counter for a window that begins now. */
async function count({ key }: Counter, points: number) {
  const expire = clock().getTime() + 15 * 60_000
  await server.pool.query('insert into rate_limits (key, points, expire) values ($1, $2, $3)', [
    key,
    points,
    expire,
  ])
}

const refusal = expect.objectContaining({ code: 'TOO_MANY_REQUESTS' })

/** Returns the nonzero counters by limit name. */
async function counts(): Promise<Record<string, number>> {
  const { rows } = await server.pool.query<{ key: string; points: number }>(
    'select key, points from rate_limits where points > 0 order by key',
  )
  return Object.fromEntries(rows.map(({ key, points }) => [key.split(':', 1)[0], points]))
}

describe('an unknown browser', () => {
  it('is refused for 15 minutes after ten failed logins to an account', async () => {
    await failTimes(10, () => stranger)
    const before = await counts()
    await expect(admit(stranger)).rejects.toEqual(refusal)
    // Refused attempts don't count.
    expect(await counts()).toEqual(before)
    clock.advance(15 * 60_000)
    await admit(stranger)
  })

  it("doesn't affect other addresses or other accounts", async () => {
    await failTimes(10, () => stranger)
    await admit({ ...stranger, address: '192.0.2.2' })
    await admit({ ...stranger, account: 'bob' })
  })

  it('is refused after a hundred failed logins to all accounts', async () => {
    await count(counter('wrongLoginsByAddress', stranger.address), 99)
    await admit({ ...stranger, account: 'bob' })
    await expect(admit({ ...stranger, account: 'another' })).rejects.toEqual(refusal)
  })

  it('counts as failed until the password is right, which resets its own counter', async () => {
    await failTimes(3, () => stranger)
    const admission = await admit(stranger)
    expect(await counts()).toEqual({
      wrongLoginsByAccount: 4,
      wrongLoginsByAccountAndAddress: 4,
      wrongLoginsByAddress: 4,
    })
    await admission.right()
    expect(await counts()).toEqual({
      loginsByAccount: 1,
      loginsByAddress: 1,
      wrongLoginsByAccount: 3,
      wrongLoginsByAddress: 3,
    })
  })

  it('counts nothing if no password was compared', async () => {
    await (await admit(stranger)).undo()
    expect(await counts()).toEqual({})
  })

  it('can sign in to one account at most 120 times', async () => {
    await count(counter('loginsByAccount', stranger.account), 119)
    await (await admit(stranger)).right()
    await expect(admit(stranger)).rejects.toEqual(refusal)
    await expect(admit(known)).rejects.toEqual(refusal)
    await admit({ ...stranger, account: 'bob' })
  })
})

describe('an account under attack from many addresses', () => {
  /** Counts failed logins from other addresses. */
  const guess = (times = 60) => count(counter('wrongLoginsByAccount', stranger.account), times)

  it('allows ten attempts per address up to 60 failed logins', async () => {
    await guess(58)
    await failTimes(2, () => stranger)
  })

  it('then allows each address one attempt in 15 minutes', async () => {
    await guess()
    await admit(stranger)
    await expect(admit(stranger)).rejects.toEqual(refusal)
    await admit({ ...stranger, address: '192.0.2.2' })
    clock.advance(15 * 60_000)
    await admit(stranger)
  })

  it('is open again to an address after a right password', async () => {
    await guess()
    await (await admit(stranger)).right()
    await admit(stranger)
  })

  it('never refuses a known browser', async () => {
    await guess()
    await failTimes(2, () => known)
  })
})

describe('a known browser', () => {
  it('has ten failed logins of its own, then the limit of an unknown browser', async () => {
    await failTimes(10, () => stranger)
    await failTimes(10, () => known)
    expect(await counts()).toMatchObject({
      wrongLoginsByKnownBrowser: 10,
      wrongLoginsByAccountAndAddress: 10,
    })
    await expect(admit(known)).rejects.toEqual(refusal)
    await admit({ ...known, address: '192.0.2.2' })
    await admit({ ...known, knownBrowser: 'another' })
  })

  it('resets its own counter with a right password, and counts only for the account', async () => {
    await failTimes(9, () => known)
    await (await admit(known)).right()
    expect(await counts()).toEqual({ loginsByAccount: 1 })
  })

  it('counts nothing if no password was compared', async () => {
    await (await admit(known)).undo()
    expect(await counts()).toEqual({})
  })

  it('is not treated as unknown when the database is unreachable', async () => {
    const away = new Error('the database is away')
    // The second check would succeed, but must not be made.
    const faults = [away]
    const check: RateLimits['check'] = (counters) => {
      const fault = faults.pop()
      return fault ? Promise.reject(fault) : rateLimits.check(counters)
    }
    const flaky: RateLimits = {
      check,
      spend: (counters) => rateLimits.spend(counters),
      add: (counters) => rateLimits.add(counters),
      refund: (spent, keys) => rateLimits.refund(spent, keys),
      forget: (keys) => rateLimits.forget(keys),
    }
    await expect(admitTry({ rateLimits: flaky }, known)).rejects.toBe(away)
  })
})

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

/** Makes wrong logins: nothing is called on their admissions. */
async function failTimes(count: number, attempt: (at: number) => Try) {
  for (let at = 0; at < count; at += 1) await admit(attempt(at))
}

/** Sets how often something was counted in the window that begins now. */
async function count({ key }: Counter, points: number) {
  const expire = clock().getTime() + 15 * 60_000
  await server.pool.query('insert into rate_limits (key, points, expire) values ($1, $2, $3)', [
    key,
    points,
    expire,
  ])
}

const refusal = expect.objectContaining({ code: 'TOO_MANY_REQUESTS' })

/** Returns the counters that are not empty, each by the name of its limit. */
async function counts(): Promise<Record<string, number>> {
  const { rows } = await server.pool.query<{ key: string; points: number }>(
    'select key, points from rate_limits where points > 0 order by key',
  )
  return Object.fromEntries(rows.map(({ key, points }) => [key.split(':', 1)[0], points]))
}

describe('a browser that has not signed in here before', () => {
  it('has ten wrong logins at an account, and then none for a quarter of an hour', async () => {
    await failTimes(10, () => stranger)
    const before = await counts()
    await expect(admit(stranger)).rejects.toEqual(refusal)
    // What was refused does not count.
    expect(await counts()).toEqual(before)
    clock.advance(15 * 60_000)
    await admit(stranger)
  })

  it('takes nothing of another address or another account', async () => {
    await failTimes(10, () => stranger)
    await admit({ ...stranger, address: '192.0.2.2' })
    await admit({ ...stranger, account: 'bob' })
  })

  it('has a hundred wrong logins at all accounts together', async () => {
    await count(counter('wrongLoginsByAddress', stranger.address), 99)
    await admit({ ...stranger, account: 'bob' })
    await expect(admit({ ...stranger, account: 'another' })).rejects.toEqual(refusal)
  })

  it('counts as wrong until its password was right, which empties its own counter', async () => {
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

  it('counts nothing where no password was compared', async () => {
    await (await admit(stranger)).undo()
    expect(await counts()).toEqual({})
  })

  it('signs in no more than 120 times at one account', async () => {
    await count(counter('loginsByAccount', stranger.account), 119)
    await (await admit(stranger)).right()
    await expect(admit(stranger)).rejects.toEqual(refusal)
    await expect(admit(known)).rejects.toEqual(refusal)
    await admit({ ...stranger, account: 'bob' })
  })
})

describe('an account that many addresses guess at', () => {
  /** Counts this many wrong logins of other addresses. */
  const guess = (times = 60) => count(counter('wrongLoginsByAccount', stranger.account), times)

  it('has ten tries for each address up to 60 wrong logins', async () => {
    await guess(58)
    await failTimes(2, () => stranger)
  })

  it('has one try in a quarter of an hour for each address from then on', async () => {
    await guess()
    await admit(stranger)
    await expect(admit(stranger)).rejects.toEqual(refusal)
    await admit({ ...stranger, address: '192.0.2.2' })
    clock.advance(15 * 60_000)
    await admit(stranger)
  })

  it('is open again for an address whose password was right', async () => {
    await guess()
    await (await admit(stranger)).right()
    await admit(stranger)
  })

  it('refuses no browser that signed in before', async () => {
    await guess()
    await failTimes(2, () => known)
  })
})

describe('a browser that has signed in before', () => {
  it('has ten wrong logins of its own, and then those of any other', async () => {
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

  it('empties its own counter by a right password, and counts at the account alone', async () => {
    await failTimes(9, () => known)
    await (await admit(known)).right()
    expect(await counts()).toEqual({ loginsByAccount: 1 })
  })

  it('counts nothing where no password was compared', async () => {
    await (await admit(known)).undo()
    expect(await counts()).toEqual({})
  })

  it('is no stranger because the database is away', async () => {
    const away = new Error('the database is away')
    // The database is back for the next question, which must not be asked.
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

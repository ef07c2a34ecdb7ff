import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../../tests/support/open-fresh-database.ts'
import { hourInMs } from '../../../shared/rules/format/units.ts'
import type { Storage } from '../../storage/storage.ts'
import { createStores } from '../../storage/stores.ts'
import { checkClock, clockFinding } from './clock.ts'

describe('a clock difference', () => {
  it.each([
    [0, 'ok', ' agree.'],
    [999, 'ok', ' agree.'],
    [1000, 'ok', ' are 1 second apart, which is harmless.'],
    [15_000, 'ok', ' are 15 seconds apart, which is harmless.'],
    [15_001, 'warning', ' are 15 seconds apart. '],
    [59_999, 'warning', ' are 59 seconds apart. '],
    [60_000, 'failing', ' are 60 seconds apart: '],
    [3 * hourInMs, 'failing', ' are 3 hours apart: '],
  ])('of %i ms is %s', (ms, status, message) => {
    for (const owner of ['database', 'bucket'] as const) {
      const finding = clockFinding(owner, ms)
      expect(finding).toMatchObject({
        status,
        message: expect.stringContaining(`of this server and of the ${owner}${message}`),
        cure: status === 'ok' ? '' : expect.stringContaining('time server'),
      })
    }
  })

  it.each([
    ['database', 30_000, '. From a minute on, emails and jobs come that much too early or late.'],
    ['database', 90_000, ': emails and jobs come that much too early or late.'],
    ['bucket', 30_000, '. From a minute on, downloads fail, because '],
    ['bucket', 90_000, ': downloads fail, because '],
  ] as const)('of the %s by %i ms names the consequence', (owner, ms, consequence) => {
    expect(clockFinding(owner, ms).message).toContain(` apart${consequence}`)
  })
})

describe("this server's clock", () => {
  let server: FreshDatabase
  beforeAll(async () => {
    server = await openFreshDatabase()
  })
  afterAll(() => server.close())

  /** Runs the check with a clock that returns these times in order. */
  const runCheck = (times: readonly Date[], clockDifferenceMs?: () => Promise<number>) => {
    const remainingTimes = [...times]
    const clock = () => remainingTimes.shift() ?? new Date(Number.NaN)
    const disk = { name: 'disk' } as Storage
    const bucket = { name: 's3', clockDifferenceMs } as Storage
    const stores = clockDifferenceMs ? createStores(disk, bucket) : createStores(disk)
    return checkClock({ clock, db: server.db, stores })
  }

  // The database's time lies between these two, so the check finds no difference.
  const surroundingTimes = [new Date(0), new Date('2999-01-01')]

  it.each([-10.5, 10.5])("is compared with the database's clock, %d hours apart", async (hours) => {
    const { rows } = await server.pool.query<{ now: Date }>('select now()')
    const now = new Date((rows[0]?.now.getTime() ?? 0) + hours * hourInMs)
    expect(await runCheck([now, now])).toMatchObject([
      {
        status: 'failing',
        message: expect.stringContaining(' of the database are 10 hours apart'),
      },
    ])
  })

  it("is compared with the database's clock regardless of the query's duration", async () => {
    expect(await runCheck(surroundingTimes)).toEqual([clockFinding('database', 0)])
  })

  it('is compared with the clock of each store that has one', async () => {
    expect(await runCheck(surroundingTimes, async () => 20_000)).toEqual([
      clockFinding('database', 0),
      { about: 'bucket', ...clockFinding('bucket', 20_000) },
    ])
  })

  it("causes only a warning if the bucket's time is unknown", async () => {
    const [, bucket] = await runCheck(surroundingTimes, () =>
      Promise.reject(new Error('nobody answers')),
    )
    expect(bucket).toMatchObject({
      about: 'bucket',
      status: 'warning',
      message: 'The clock of the bucket could not be read (nobody answers).',
      cure: expect.stringContaining('the check Storage'),
    })
  })
})

import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { play } from './faults/play.ts'
import type { SetupName } from './faults/setups.ts'
import { describeOnSmallDisk } from './support/machine-needs.ts'
import { freshDatabase } from './support/postgres.ts'
import { createDatabase, startTestPostgres } from './support/postgres-server.ts'
import { isLongRun, roundsOf } from './support/rounds.ts'

async function expectPromisesKept(setup: SetupName): Promise<void> {
  const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
  const rounds = roundsOf(1, 100)
  const place = { database: await freshDatabase(), postgres: null, s3Server: null }
  const played = await play(place, { seed, setup, rounds })
  expect(played.rounds).toBe(rounds)
  expect(played.downloads).toBeGreaterThan(0)
}

/**
 * In a short run, `workers` and `small-disk` together have each feature of the setups that are left
 * out.
 */
const onAnyDisk: SetupName[] = isLongRun ? ['alone', 'several', 'workers'] : ['workers']
const onSmallDisk: SetupName[] = isLongRun ? ['small-disk', 'small-disk-workers'] : ['small-disk']

test.each(onAnyDisk)(
  'users against faults by chance, %s: everything that was answered holds',
  expectPromisesKept,
)

// This test needs a Postgres of its own, and half a minute.
test.each(isLongRun ? ['alone' as const] : [])(
  'Postgres is away for half a minute, %s: everything that was answered holds',
  async (setup) => {
    const postgres = await startTestPostgres()
    const database = await createDatabase(postgres.url, 'migrated')
    const only = 'Postgres is away for long'
    const played = await play(
      { database, postgres, s3Server: null },
      { seed: randomInt(2 ** 31), setup, rounds: 1, only },
    )
    expect(played.faults).toEqual({ [only]: 1 })
    await postgres.stop()
  },
)

describeOnSmallDisk('on a disk that other programs fill', () => {
  test.each(onSmallDisk)(
    'users against faults by chance, %s: everything that was answered holds',
    expectPromisesKept,
  )
})

import { randomInt } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { FaultName } from './faults/faults.ts'
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

/** What happens to a Postgres that no other test uses. */
const ofPostgres = [
  'Postgres is restarted',
  'Postgres is killed',
  'Postgres stands still',
] as const satisfies FaultName[]

/** The setup, the fault that each round has, and the number of rounds. */
const onOwnPostgres: [SetupName, FaultName, number][] = isLongRun
  ? (['alone', 'workers'] as const).flatMap((setup) => [
      ...ofPostgres.map((only): [SetupName, FaultName, number] => [setup, only, 20]),
      [setup, 'Postgres is away for long', 1],
    ])
  : [['workers', ofPostgres[randomInt(ofPostgres.length)] ?? ofPostgres[0], 1]]

// These tests need a Postgres of their own. In the last one it is away for half a minute.
test.each(onOwnPostgres)(
  '%s, %s: everything that was answered holds',
  async (setup, only, rounds) => {
    const postgres = await startTestPostgres()
    onTestFinished(() => postgres.stop())
    const database = await createDatabase(postgres.url, 'migrated')
    const plan = { seed: randomInt(2 ** 31), setup, rounds, only }
    const played = await play({ database, postgres, s3Server: null }, plan)
    expect(played.faults).toEqual({ [only]: rounds })
  },
)

describeOnSmallDisk('on a disk that other programs fill', () => {
  test.each(onSmallDisk)(
    'users against faults by chance, %s: everything that was answered holds',
    expectPromisesKept,
  )
})

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

test('users against faults by chance: everything that was answered holds', () =>
  expectPromisesKept('disk'))

/** What happens to a Postgres that no other test uses. */
const ofPostgres = [
  'Postgres is restarted',
  'Postgres is killed',
  'Postgres stands still',
] as const satisfies FaultName[]

/** The fault that each round has, and the number of rounds. */
const onOwnPostgres: [FaultName, number][] = isLongRun
  ? [...ofPostgres.map((only): [FaultName, number] => [only, 20]), ['Postgres is away for long', 1]]
  : []

// These tests need a Postgres of their own, and belong to the long run. tests/attacks has short ones
// with a Postgres that is killed or stalled. In the last one here it is away for half a minute.
test.each(onOwnPostgres)('%s: everything that was answered holds', async (only, rounds) => {
  const postgres = await startTestPostgres()
  onTestFinished(() => postgres.stop())
  const database = await createDatabase(postgres.url, 'migrated')
  const plan = { seed: randomInt(2 ** 31), setup: 'disk' as const, rounds, only }
  const played = await play({ database, postgres, s3Server: null }, plan)
  expect(played.faults).toEqual({ [only]: rounds })
})

describeOnSmallDisk('on a disk that other programs fill', () => {
  test('users against faults by chance: everything that was answered holds', () =>
    expectPromisesKept('small-disk'))
})

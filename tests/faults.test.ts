import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { play } from './faults/play.ts'
import type { SetupName } from './faults/setups.ts'
import { describeOnSmallDisk } from './support/machine-needs.ts'
import { freshDatabase } from './support/postgres.ts'
import { isLongRun, roundsOf } from './support/rounds.ts'

async function expectPromisesKept(setup: SetupName): Promise<void> {
  const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
  const rounds = roundsOf(1, 100)
  const place = { database: await freshDatabase(), s3Server: null }
  const played = await play(place, { seed, setup, rounds })
  expect(played.rounds).toBe(rounds)
  expect(played.files).toBeGreaterThan(0)
}

/** What is left out of a short run is part of one of the others: of `workers` or `small-disk`. */
const onAnyDisk: SetupName[] = isLongRun ? ['alone', 'several', 'workers'] : ['workers']

test.each(onAnyDisk)(
  'users against faults by chance, %s: everything that was answered holds',
  expectPromisesKept,
)

describeOnSmallDisk('on a disk that other programs fill', () => {
  test('users against faults by chance: everything that was answered holds', async () => {
    await expectPromisesKept('small-disk')
  })
})

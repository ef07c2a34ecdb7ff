import { randomInt } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { FaultName } from './faults/faults.ts'
import { runScenario } from './faults/run-scenario.ts'
import type { SetupName } from './faults/setups.ts'
import { freshDatabase } from './support/postgres.ts'
import { createDatabase, startTestPostgres } from './support/postgres-server.ts'
import { chooseRounds, isLongRun } from './support/rounds.ts'
import { describeOnSmallDisk } from './support/test-requirements.ts'

async function expectGuarantees(setup: SetupName): Promise<void> {
  const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
  const rounds = chooseRounds(1, 100)
  const backends = { database: await freshDatabase(), postgres: null, s3Server: null }
  const result = await runScenario(backends, { seed, setup, rounds })
  expect(result.rounds).toBe(rounds)
  // By chance, a single round leaves nothing to download.
  if (isLongRun) expect(result.downloads).toBeGreaterThan(0)
}

test('keeps every guarantee under random faults', () => expectGuarantees('disk'))

/** Faults that can't be injected into a shared Postgres server. */
const postgresFaults = [
  'Postgres is restarted',
  'Postgres is killed',
  'Postgres is paused',
] as const satisfies FaultName[]

const faultRounds: [FaultName, number][] = isLongRun
  ? [
      ...postgresFaults.map((faultName): [FaultName, number] => [faultName, 20]),
      ['Postgres is down for long', 1],
    ]
  : []

// Runs only in a long run, because tests/attacks already covers short outages in which Postgres is
// killed or stalled, and because the last fault in the list takes half a minute.
test.each(faultRounds)('keeps every guarantee while %s', async (faultName, rounds) => {
  const postgres = await startTestPostgres()
  onTestFinished(() => postgres.stop())
  const database = await createDatabase(postgres.url, 'migrated')
  const scenario = {
    seed: randomInt(2 ** 31),
    setup: 'disk' as const,
    rounds,
    fixedFault: faultName,
  }
  const result = await runScenario({ database, postgres, s3Server: null }, scenario)
  expect(result.faults).toEqual({ [faultName]: rounds })
})

describeOnSmallDisk('on a disk that other programs fill', () => {
  // Runs only in a long run, because tests/attacks/full-disk.test.ts covers a full disk.
  test.runIf(isLongRun)('keeps every guarantee under random faults', () =>
    expectGuarantees('small-disk'),
  )
})

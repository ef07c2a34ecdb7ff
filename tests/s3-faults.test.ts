import { randomInt } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { runScenario } from './faults/run-scenario.ts'
import { killDuringConfirms } from './support/killed-confirms.ts'
import { freshDatabase } from './support/postgres.ts'
import { chooseRounds, isLongRun } from './support/rounds.ts'
import { describeOnS3 } from './support/s3.ts'

async function makeBackends() {
  return { database: await freshDatabase(), postgres: null, s3Server: inject('s3Server') }
}

describeOnS3('with a bucket', () => {
  it('keeps every guarantee under random faults', async () => {
    const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
    const rounds = chooseRounds(1, 100)
    const result = await runScenario(await makeBackends(), { seed, setup: 'bucket', rounds })
    expect(result.rounds).toBe(rounds)
    expect(result.downloads).toBeGreaterThan(0)
  })

  // Runs only in a long run. A short one tests just the disk store this way.
  it.each(isLongRun ? [100] : [])(
    'keeps confirms and renewals atomic over %i kills',
    async (rounds) => killDuringConfirms(await makeBackends(), 'bucket', rounds),
  )
})

import { randomInt } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { runScenario } from './faults/run-scenario.ts'
import { killDuringConfirms } from './support/killed-confirms.ts'
import { freshDatabase } from './support/postgres.ts'
import { isLongRun } from './support/rounds.ts'
import { describeOnS3 } from './support/s3.ts'

async function makeBackends() {
  return { database: await freshDatabase(), postgres: null, s3Server: inject('s3Server') }
}

// Runs only in a long run. A short one tests just the disk store this way.
describeOnS3('with a bucket', () => {
  const rounds = 100

  it.runIf(isLongRun)('keeps every guarantee under random faults', async () => {
    const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
    const result = await runScenario(await makeBackends(), { seed, setup: 'bucket', rounds })
    expect(result.rounds).toBe(rounds)
    expect(result.downloads).toBeGreaterThan(0)
  })

  it.runIf(isLongRun)('keeps confirms and renewals atomic over many kills', async () =>
    killDuringConfirms(await makeBackends(), 'bucket', rounds),
  )
})

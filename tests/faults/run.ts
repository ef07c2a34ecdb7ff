/**
 * Runs fault injection scenarios. Stops when the server first breaks a guarantee, prints the seed,
 * setup and round, and exits with 1. Usage: `npm run faults -- --seed n --rounds m [--setup name]
 * [--parallel k]`.
 */
import { randomInt } from 'node:crypto'
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { missingCephPrograms } from '../../scripts/ceph.mjs'
import { keepTempFilesInMemory } from '../support/files-in-memory.ts'
import { createDatabase, startTestPostgres, type TestPostgres } from '../support/postgres-server.ts'
import { startRadosgw } from '../support/radosgw.ts'
import { canMount } from '../support/small-disk.ts'
import { runScenario } from './run-scenario.ts'
import { type SetupName, setupForSeed, setupNames, setups } from './setups.ts'

/** A run with more rounds is split into several scenarios with consecutive seeds. */
const roundsPerScenario = 200
const roundsPerReport = 50

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string', default: String(roundsPerScenario) },
    setup: { type: 'string' },
    parallel: { type: 'string', default: '1' },
  },
})
const firstSeed = Number(values.seed ?? randomInt(2 ** 31))
const rounds = Number(values.rounds)
const workerCount = Number(values.parallel)
const requestedSetup = values.setup
const areOptionsValid =
  Number.isSafeInteger(firstSeed) &&
  [rounds, workerCount].every((number) => Number.isSafeInteger(number) && number > 0) &&
  (requestedSetup === undefined || setupNames.some((name) => name === requestedSetup))

if (!areOptionsValid) {
  console.error(
    `Usage: npm run faults -- [--seed number] [--rounds number] [--parallel number] [--setup ${setupNames.join('|')}]`,
  )
  process.exit(2)
}

interface PlannedScenario {
  seed: number
  setup: SetupName
  rounds: number
}

function planScenarios(): PlannedScenario[] {
  const scenarioCount = Math.ceil(rounds / roundsPerScenario)
  return Array.from({ length: scenarioCount }, (_, index) => {
    const seed = firstSeed + index
    const setup = setupNames.find((name) => name === requestedSetup) ?? setupForSeed(seed)
    return { seed, setup, rounds: Math.min(roundsPerScenario, rounds - index * roundsPerScenario) }
  })
}

/** The signal that asked this run to stop. */
let stopSignal: 'SIGTERM' | 'SIGINT' | null = null
// On a signal, finish the current round before exiting. A fault may be starting Postgres, which
// would otherwise be left running. npm may pass the signal on twice, so the second one is ignored.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    stopSignal ??= signal
    process.exitCode = 128 + constants.signals[signal]
  })
}

keepTempFilesInMemory()
const plannedScenarios = planScenarios()
const unavailableSetups = new Map<SetupName, string>()
if (missingCephPrograms().length > 0) unavailableSetups.set('bucket', 'Ceph is not installed')
if (!(await canMount())) {
  const reason = 'no file system can be mounted'
  for (const name of setupNames)
    if (setups[name].store === 'small disk') unavailableSetups.set(name, reason)
}
const scenarios = plannedScenarios.filter(({ seed, setup }) => {
  if (unavailableSetups.has(setup))
    console.log(`skipped seed ${seed}: ${setup}, ${unavailableSetups.get(setup)}`)
  return !unavailableSetups.has(setup)
})
const needsBucket = scenarios.some(({ setup }) => setups[setup].store === 'bucket')
const s3Server = needsBucket ? await startRadosgw() : null
const faultCounts = new Map<string, number>()
const successCounts = new Map<string, number>()
const totals = { rounds: 0, downloads: 0 }
const startedAt = performance.now()
let hasFailed = false

function countRound(): void {
  totals.rounds += 1
  if (stopSignal) throw new Error(`Ended by ${stopSignal}.`)
  if (totals.rounds % roundsPerReport > 0) return
  const roundsPerMinute = totals.rounds / ((performance.now() - startedAt) / 60_000)
  console.log(
    `${totals.rounds} rounds without a broken promise, ${roundsPerMinute.toFixed(0)} a minute`,
  )
}

async function runScenarios(postgres: TestPostgres): Promise<void> {
  for (
    let scenario = scenarios.shift();
    scenario && !hasFailed && !stopSignal;
    scenario = scenarios.shift()
  ) {
    const database = await createDatabase(postgres.url, 'migrated')
    const result = await runScenario({ database, postgres, s3Server }, scenario, countRound)
    for (const [fault, count] of Object.entries(result.faults)) {
      faultCounts.set(fault, (faultCounts.get(fault) ?? 0) + count)
    }
    for (const [action, count] of Object.entries(result.successCounts)) {
      successCounts.set(action, (successCounts.get(action) ?? 0) + count)
    }
    totals.downloads += result.downloads
    console.log(`seed ${scenario.seed}, ${scenario.setup}: ${result.rounds} rounds`)
  }
}

/** Starts a Postgres server and runs scenarios on it one after another. */
async function runWorker(): Promise<void> {
  const postgres = await startTestPostgres()
  try {
    await runScenarios(postgres)
  } catch (error) {
    hasFailed = true
    console.error(error instanceof Error ? error.message : error)
    process.exitCode ??= 1
  } finally {
    await postgres.stop()
  }
}

try {
  await Promise.all(Array.from({ length: workerCount }, runWorker))
  console.table(Object.fromEntries([...faultCounts].toSorted(([a], [b]) => (a < b ? -1 : 1))))
  console.table(Object.fromEntries(successCounts))
  console.log(`${totals.rounds} rounds, ${totals.downloads} files read back`)
} finally {
  await s3Server?.stop()
}

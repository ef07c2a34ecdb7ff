/**
 * Runs fault injection scenarios. Exits with 1 at the first broken promise and prints seed, setup
 * and round. Usage: `npm run faults -- --seed n --rounds m [--setup name] [--parallel k]`.
 */
import { randomInt } from 'node:crypto'
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { missingCephPrograms } from '../../scripts/ceph.mjs'
import { keepFilesInMemory } from '../support/files-in-memory.ts'
import { createDatabase, startTestPostgres, type TestPostgres } from '../support/postgres-server.ts'
import { startRadosgw } from '../support/radosgw.ts'
import { canMount } from '../support/small-disk.ts'
import { runScenario } from './run-scenario.ts'
import { type SetupName, setupNames, setupOf, setups } from './setups.ts'

/** More rounds are split into several scenarios with consecutive seeds. */
const roundsPerScenario = 200
const reportEvery = 50

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
const parallel = Number(values.parallel)
const wanted = values.setup
const isUsable =
  Number.isSafeInteger(firstSeed) &&
  [rounds, parallel].every((number) => Number.isSafeInteger(number) && number > 0) &&
  (wanted === undefined || setupNames.some((name) => name === wanted))

if (!isUsable) {
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

/** Splits the rounds into scenarios. */
function planScenarios(): PlannedScenario[] {
  const count = Math.ceil(rounds / roundsPerScenario)
  return Array.from({ length: count }, (_, at) => {
    const seed = firstSeed + at
    const setup = setupNames.find((name) => name === wanted) ?? setupOf(seed)
    return { seed, setup, rounds: Math.min(roundsPerScenario, rounds - at * roundsPerScenario) }
  })
}

/** The signal that stops this run. */
let endedBy: 'SIGTERM' | 'SIGINT' | null = null
// Finish the current round first: a fault may be starting Postgres, which would be left running.
// npm may send the signal twice.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    endedBy ??= signal
    process.exitCode = 128 + constants.signals[signal]
  })
}

keepFilesInMemory()
const planned = planScenarios()
const unavailable = new Map<SetupName, string>()
if (missingCephPrograms().length > 0) unavailable.set('bucket', 'Ceph is not installed')
if (!(await canMount())) {
  const reason = 'no file system can be mounted'
  for (const name of setupNames)
    if (setups[name].store === 'small disk') unavailable.set(name, reason)
}
const scenarios = planned.filter(({ seed, setup }) => {
  if (unavailable.has(setup))
    console.log(`skipped seed ${seed}: ${setup}, ${unavailable.get(setup)}`)
  return !unavailable.has(setup)
})
const needsBucket = scenarios.some(({ setup }) => setups[setup].store === 'bucket')
const s3Server = needsBucket ? await startRadosgw() : null
const faults = new Map<string, number>()
const done = new Map<string, number>()
const total = { rounds: 0, downloads: 0 }
const began = performance.now()
let isBroken = false

function countRound(): void {
  total.rounds += 1
  if (endedBy) throw new Error(`Ended by ${endedBy}.`)
  if (total.rounds % reportEvery > 0) return
  const pace = total.rounds / ((performance.now() - began) / 60_000)
  console.log(`${total.rounds} rounds without a broken promise, ${pace.toFixed(0)} a minute`)
}

async function runAll(postgres: TestPostgres): Promise<void> {
  for (let next = scenarios.shift(); next && !isBroken && !endedBy; next = scenarios.shift()) {
    const database = await createDatabase(postgres.url, 'migrated')
    const result = await runScenario({ database, postgres, s3Server }, next, countRound)
    for (const [fault, times] of Object.entries(result.faults)) {
      faults.set(fault, (faults.get(fault) ?? 0) + times)
    }
    for (const [step, times] of Object.entries(result.steps)) {
      done.set(step, (done.get(step) ?? 0) + times)
    }
    total.downloads += result.downloads
    console.log(`seed ${next.seed}, ${next.setup}: ${result.rounds} rounds`)
  }
}

/** Runs scenarios one after another on its own Postgres server. */
async function runWorker(): Promise<void> {
  const postgres = await startTestPostgres()
  try {
    await runAll(postgres)
  } catch (error) {
    isBroken = true
    console.error(error instanceof Error ? error.message : error)
    process.exitCode ??= 1
  } finally {
    await postgres.stop()
  }
}

try {
  await Promise.all(Array.from({ length: parallel }, runWorker))
  console.table(Object.fromEntries([...faults].toSorted(([a], [b]) => (a < b ? -1 : 1))))
  console.table(Object.fromEntries(done))
  console.log(`${total.rounds} rounds, ${total.downloads} files read back`)
} finally {
  await s3Server?.stop()
}

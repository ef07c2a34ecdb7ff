/**
 * Plays users against faults that the seed draws. Ends with code 1 at the first broken promise, and
 * names the seed, the setup and the round.
 * Usage: `npm run faults -- --seed n --rounds m [--setup name] [--beside k]`.
 */
import { randomInt } from 'node:crypto'
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { missingCephPrograms } from '../../scripts/ceph.mjs'
import { keepFilesInMemory } from '../support/files-in-memory.ts'
import { createDatabase, startTestPostgres, type TestPostgres } from '../support/postgres-server.ts'
import { startRadosgw } from '../support/radosgw.ts'
import { canMount } from '../support/small-disk.ts'
import { play } from './play.ts'
import { type SetupName, setupNames, setupOf, setups } from './setups.ts'

/** A play has at most this many rounds. The next one has the next seed, and begins anew. */
const roundsOfPlay = 200
const toldEvery = 50

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string', default: String(roundsOfPlay) },
    setup: { type: 'string' },
    beside: { type: 'string', default: '1' },
  },
})
const firstSeed = Number(values.seed ?? randomInt(2 ** 31))
const rounds = Number(values.rounds)
const beside = Number(values.beside)
const wanted = values.setup
const isUsable =
  Number.isSafeInteger(firstSeed) &&
  [rounds, beside].every((number) => Number.isSafeInteger(number) && number > 0) &&
  (wanted === undefined || setupNames.some((name) => name === wanted))

if (!isUsable) {
  console.error(
    `Usage: npm run faults -- [--seed number] [--rounds number] [--beside plays at the same time] [--setup ${setupNames.join('|')}]`,
  )
  process.exit(2)
}

interface PlannedPlay {
  seed: number
  setup: SetupName
  rounds: number
}

/** Returns the plays that have `rounds` rounds together. */
function planPlays(): PlannedPlay[] {
  const count = Math.ceil(rounds / roundsOfPlay)
  return Array.from({ length: count }, (_, at) => {
    const seed = firstSeed + at
    const setup = setupNames.find((name) => name === wanted) ?? setupOf(seed)
    return { seed, setup, rounds: Math.min(roundsOfPlay, rounds - at * roundsOfPlay) }
  })
}

/** The signal that ends this run; null before it. */
let endedBy: 'SIGTERM' | 'SIGINT' | null = null
// The round is played to its end. A fault in the middle of it may be starting Postgres, which would
// be left behind. npm may pass the same signal on twice.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    endedBy ??= signal
    process.exitCode = 128 + constants.signals[signal]
  })
}

keepFilesInMemory()
const planned = planPlays()
const lacking = new Map<SetupName, string>()
if (missingCephPrograms().length > 0) lacking.set('bucket', 'Ceph is not installed')
if (!(await canMount())) {
  const reason = 'no file system can be mounted'
  for (const name of setupNames) if (setups[name].store === 'small disk') lacking.set(name, reason)
}
const plays = planned.filter(({ seed, setup }) => {
  if (lacking.has(setup)) console.log(`seed ${seed} is left out: ${setup}, ${lacking.get(setup)}`)
  return !lacking.has(setup)
})
const needsBucket = plays.some(({ setup }) => setups[setup].store === 'bucket')
const s3Server = needsBucket ? await startRadosgw() : null
const faults = new Map<string, number>()
const done = new Map<string, number>()
const total = { rounds: 0, downloads: 0 }
const began = performance.now()
let isBroken = false

function noteRound(): void {
  total.rounds += 1
  if (endedBy) throw new Error(`Ended by ${endedBy}.`)
  if (total.rounds % toldEvery > 0) return
  const pace = total.rounds / ((performance.now() - began) / 60_000)
  console.log(`${total.rounds} rounds without a broken promise, ${pace.toFixed(0)} a minute`)
}

async function playOn(postgres: TestPostgres): Promise<void> {
  for (let next = plays.shift(); next && !isBroken && !endedBy; next = plays.shift()) {
    const database = await createDatabase(postgres.url, 'migrated')
    const played = await play({ database, postgres, s3Server }, next, noteRound)
    for (const [fault, times] of Object.entries(played.faults)) {
      faults.set(fault, (faults.get(fault) ?? 0) + times)
    }
    for (const [step, times] of Object.entries(played.steps)) {
      done.set(step, (done.get(step) ?? 0) + times)
    }
    total.downloads += played.downloads
    console.log(`seed ${next.seed}, ${next.setup}: ${played.rounds} rounds`)
  }
}

/** Plays one play after the other, on a Postgres that no other play uses. */
async function playOne(): Promise<void> {
  const postgres = await startTestPostgres()
  try {
    await playOn(postgres)
  } catch (error) {
    isBroken = true
    console.error(error instanceof Error ? error.message : error)
    process.exitCode ??= 1
  } finally {
    await postgres.stop()
  }
}

try {
  await Promise.all(Array.from({ length: beside }, playOne))
  console.table(Object.fromEntries([...faults].toSorted(([a], [b]) => (a < b ? -1 : 1))))
  console.table(Object.fromEntries(done))
  console.log(`${total.rounds} rounds, ${total.downloads} files read whole after them`)
} finally {
  await s3Server?.stop()
}

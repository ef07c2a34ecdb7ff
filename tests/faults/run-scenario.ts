import { setTimeout as wait } from 'node:timers/promises'
import { defaultLimits } from '../../src/shared/rules/tiers/tier-limits.ts'
import { logIn, makeClient, signUp } from '../support/make.ts'
import { numbersFrom } from '../support/seeded-rounds.ts'
import { type Step, steps } from './call.ts'
import { checkAfterTwoDays, checkUser } from './checks.ts'
import type { Mailbox } from './emails.ts'
import { type Backends, type Environment, startEnvironment } from './environment.ts'
import { Violation } from './expected-file.ts'
import { drawFaults, type FaultName, faults } from './faults.ts'
import { checkFreeLimit } from './invariants.ts'
import { recover } from './recover.ts'
import { type SetupName, setups } from './setups.ts'
import { actRandomly, finishUploads, type SimulatedUser, uploadFirst } from './simulated-user.ts'

const userTiers = ['free', 'premium', 'premium'] as const
/** Rounds between checks of all links. Other rounds check only links that could have changed. */
const roundsBetweenWholeChecks = 5
const roundsBetweenDeepChecks = 20
/** After this many rounds every step must have succeeded. */
const roundsForEveryStep = 100
/** How far the server's clock advances after each round, so that no two rounds share a time. */
const betweenRoundsMs = 1000
/** Pause between a user's rounds during a long fault. */
const pauseMs = 1000

export interface ScenarioResult {
  rounds: number
  faults: Partial<Record<FaultName, number>>
  downloads: number
  /** Successes of each step. */
  steps: Record<Step, number>
}

export interface Scenario {
  seed: number
  setup: SetupName
  rounds: number
  /**
   * Injects this fault in every round, with production timeouts. If omitted, faults are drawn by
   * the seed and timeouts are short.
   */
  only?: FaultName
}

interface Run {
  environment: Environment
  users: SimulatedUser[]
  mailbox: Mailbox
  /** The latest time the server's clock has shown. */
  latest: Date
  result: ScenarioResult
}

/**
 * Runs simulated users against a real server and Postgres while injecting faults drawn by the seed.
 * After each round, every earlier response must still be true. Drops the database at the end.
 * @param onRound called after each round.
 * @throws {Violation} with seed, setup and round if a promise is broken.
 */
export async function runScenario(
  backends: Backends,
  { seed, setup, rounds, only }: Scenario,
  onRound: () => void = () => {},
): Promise<ScenarioResult> {
  const isLong = rounds > roundsBetweenWholeChecks
  const environment = await startEnvironment(backends, setup, {
    isLong,
    limits: only ? 'production' : 'short',
  })
  const context = { ...setups[setup], ownsPostgres: backends.postgres !== null }
  const result: ScenarioResult = { rounds: 0, faults: {}, downloads: 0, steps: stepsOf([], 0) }
  const mailbox: Mailbox = new Map()
  const run: Run = { environment, users: [], mailbox, latest: environment.server.now(), result }
  try {
    for (const [at, tier] of userTiers.entries()) {
      const user = await makeUser(environment, tier, at + 1)
      await uploadFirst(user, numbersFrom(`${seed} first ${at}`))
      run.users.push(user)
    }
    for (let round = 1; round <= rounds; round += 1) {
      const drawn = only ? [only] : drawFaults(context, numbersFrom(`${seed} ${round}`))
      try {
        const isLast = round === rounds
        const checksAllLinks = round % roundsBetweenWholeChecks === 0
        await runRound(run, drawn, `${seed} ${round}`, { checksAllLinks, isLast })
        if (isLast) result.steps = stepsOf(run.users, rounds)
        if (round % roundsBetweenDeepChecks === 0 || isLast) {
          await checkAfterTwoDays(environment, run.users, mailbox, () => recordTime(run))
        }
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        const where = `--seed ${seed} --setup ${setup}, round ${round}, ${drawn.join(' and ')}`
        throw new Violation(`${where}: ${message}`, { cause: error })
      }
      result.rounds = round
      onRound()
    }
    return result
  } finally {
    await environment.close()
  }
}

/**
 * Adds up the successes of each step.
 * @throws {Violation} if a step never succeeded in a long run.
 */
function stepsOf(users: readonly SimulatedUser[], rounds: number): Record<Step, number> {
  const counts = steps.map((step) => {
    const sum = users.reduce((sum, { succeeded }) => sum + (succeeded.get(step) ?? 0), 0)
    if (sum === 0 && rounds >= roundsForEveryStep) throw new Violation(`to ${step} never worked`)
    return [step, sum] as const
  })
  return Object.fromEntries(counts) as Record<Step, number>
}

async function makeUser(
  { server, directDb }: Environment,
  tier: SimulatedUser['tier'],
  number: number,
): Promise<SimulatedUser> {
  const { email, password } = await signUp(server)
  await directDb.query('update users set tier = $1 where email = $2', [tier, email])
  const user: SimulatedUser = {
    url: server.url,
    email,
    passwords: [password],
    oldPassword: null,
    emails: { min: 0, max: 0 },
    tier,
    number,
    days: defaultLimits[tier].expirationDays,
    client: makeClient(server, await logIn(server, email, password)),
    files: [],
    attempts: new Map(),
    confirmed: new Set(),
    notFound: new Set(),
    succeeded: new Map(),
    mayBeSignedOut: () => user.passwords.length > 1,
    pending: [],
    uploadCount: 0,
  }
  return user
}

async function runRound(
  run: Run,
  drawn: readonly FaultName[],
  seed: string,
  { checksAllLinks, isLast }: { checksAllLinks: boolean; isLast: boolean },
): Promise<void> {
  const { environment, users, result } = run
  const { server } = environment
  const isCounted = !drawn.some((name) => faults[name].mayLoseCounts)
  const isLong = drawn.some((name) => faults[name].isLong)
  let isOver = false
  const injected = Promise.all(
    drawn.map((name, at) => faults[name].inject(environment, numbersFrom(`${seed} fault ${at}`))),
  ).finally(() => {
    isOver = true
  })
  const runAll = async (user: SimulatedUser, at: number) => {
    const random = numbersFrom(`${seed} ${at}`)
    await actRandomly(user, random, isCounted)
    while (isLong && !isOver) {
      await wait(pauseMs)
      await actRandomly(user, random, isCounted)
    }
  }
  await Promise.all([injected, ...users.map(runAll)])
  for (const name of drawn) result.faults[name] = (result.faults[name] ?? 0) + 1
  await recover(environment, users)
  if (isLast || drawn.includes('no fault')) await Promise.all(users.map(finishUploads))
  recordTime(run)
  const random = numbersFrom(`${seed} check`)
  const isClockSteady = !drawn.some((name) => faults[name].affects.some((what) => what === 'clock'))
  const moments = { now: server.now(), latest: run.latest, isClockSteady }
  for (const user of users) {
    result.downloads += await checkUser(user, moments, random, checksAllLinks)
  }
  await checkFreeLimit(environment.directDb, run.latest, defaultLimits.free.maxFiles ?? 0)
  await server.setClock(new Date(server.now().getTime() + betweenRoundsMs))
  recordTime(run)
  environment.bucketNetwork?.forget()
}

function recordTime(run: Run): void {
  const now = run.environment.server.now()
  if (now > run.latest) run.latest = now
}

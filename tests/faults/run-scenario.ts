import { setTimeout as wait } from 'node:timers/promises'
import { defaultLimits } from '../../src/shared/rules/tiers/tier-limits.ts'
import { logIn, makeClient, signUp } from '../support/make.ts'
import { seededRandom } from '../support/seeded-rounds.ts'
import { type UserAction, userActions } from './call.ts'
import { checkAfterTwoDays, checkUser } from './checks.ts'
import type { Mailbox } from './emails.ts'
import { type Backends, type Environment, startEnvironment } from './environment.ts'
import { Violation } from './expected-file.ts'
import { drawFaults, type FaultName, faults } from './faults.ts'
import { checkFreeLimit } from './invariants.ts'
import { recover } from './recover.ts'
import { type SetupName, setups } from './setups.ts'
import {
  actRandomly,
  finishUploads,
  type SimulatedUser,
  uploadInitialFile,
} from './simulated-user.ts'

const userTiers = ['free', 'premium', 'premium'] as const
/**
 * A round whose number is a multiple of this ends with a check of all links. Other rounds check
 * only links that could have changed.
 */
const roundsBetweenFullChecks = 5
const roundsBetweenDeepChecks = 20
/** A scenario with at least this many rounds fails unless every kind of action has succeeded. */
const roundsForEveryAction = 100
/**
 * How far the server's clock advances after each round, so that no two rounds happen at the same
 * time.
 */
const clockStepMs = 1000
/** Pause between a user's actions during a long fault. */
const pauseMs = 1000

export interface ScenarioResult {
  rounds: number
  faults: Partial<Record<FaultName, number>>
  downloads: number
  successCounts: Record<UserAction, number>
}

export interface Scenario {
  seed: number
  setup: SetupName
  rounds: number
  /**
   * The fault to inject in every round. The server then uses production timeouts. If omitted,
   * faults are drawn by the seed, and timeouts are short.
   */
  fixedFault?: FaultName
}

interface ScenarioRun {
  environment: Environment
  users: SimulatedUser[]
  mailbox: Mailbox
  /** The latest time that the server's clock has ever shown. */
  latest: Date
  result: ScenarioResult
}

/**
 * Runs simulated users against a real server and Postgres while injecting faults drawn by the seed.
 * After each round, checks that everything the server has confirmed still holds. Drops the database
 * at the end.
 * @param onRound called after each round.
 * @throws {Violation} with the seed, setup and round, if the server broke a guarantee.
 */
export async function runScenario(
  backends: Backends,
  { seed, setup, rounds, fixedFault }: Scenario,
  onRound: () => void = () => {},
): Promise<ScenarioResult> {
  const isLongRun = rounds > roundsBetweenFullChecks
  const environment = await startEnvironment(backends, setup, {
    isLong: isLongRun,
    limits: fixedFault ? 'production' : 'short',
  })
  const context = { ...setups[setup], hasOwnPostgres: backends.postgres !== null }
  const result: ScenarioResult = {
    rounds: 0,
    faults: {},
    downloads: 0,
    successCounts: countSuccesses([], 0),
  }
  const mailbox: Mailbox = new Map()
  const run: ScenarioRun = {
    environment,
    users: [],
    mailbox,
    latest: environment.server.now(),
    result,
  }
  try {
    for (const [index, tier] of userTiers.entries()) {
      const user = await makeUser(environment, tier, index + 1)
      await uploadInitialFile(user, seededRandom(`${seed} first ${index}`))
      run.users.push(user)
    }
    for (let round = 1; round <= rounds; round += 1) {
      const faultNames = fixedFault
        ? [fixedFault]
        : drawFaults(context, seededRandom(`${seed} ${round}`))
      try {
        const isLastRound = round === rounds
        const shouldCheckAllLinks = round % roundsBetweenFullChecks === 0
        await runRound(run, faultNames, `${seed} ${round}`, { shouldCheckAllLinks, isLastRound })
        if (isLastRound) result.successCounts = countSuccesses(run.users, rounds)
        if (round % roundsBetweenDeepChecks === 0 || isLastRound) {
          await checkAfterTwoDays(environment, run.users, mailbox, () => recordTime(run))
        }
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        const location = `--seed ${seed} --setup ${setup}, round ${round}, ${faultNames.join(' and ')}`
        throw new Violation(`${location}: ${message}`, { cause: error })
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
 * Counts how often each action succeeded, for all users together.
 * @throws {Violation} if an action never succeeded in a long run.
 */
function countSuccesses(
  users: readonly SimulatedUser[],
  rounds: number,
): Record<UserAction, number> {
  const counts = userActions.map((action) => {
    const sum = users.reduce((sum, { successCounts }) => sum + (successCounts.get(action) ?? 0), 0)
    if (sum === 0 && rounds >= roundsForEveryAction)
      throw new Violation(`to ${action} never worked`)
    return [action, sum] as const
  })
  return Object.fromEntries(counts) as Record<UserAction, number>
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
    expectedEmails: { min: 0, max: 0 },
    tier,
    number,
    days: defaultLimits[tier].expirationDays,
    client: makeClient(server, await logIn(server, email, password)),
    files: [],
    links: [],
    attempts: new Map(),
    confirmedIds: new Set(),
    notFoundCodes: new Set(),
    successCounts: new Map(),
    hasUncertainSession: () => user.passwords.length > 1,
    pendingUploads: [],
    uploadCount: 0,
  }
  return user
}

async function runRound(
  run: ScenarioRun,
  faultNames: readonly FaultName[],
  seed: string,
  { shouldCheckAllLinks, isLastRound }: { shouldCheckAllLinks: boolean; isLastRound: boolean },
): Promise<void> {
  const { environment, users, result } = run
  const { server } = environment
  const areDownloadsCounted = !faultNames.some((name) => faults[name].canLoseCounts)
  const hasLongFault = faultNames.some((name) => faults[name].isLong)
  let isFaultOver = false
  const injectionPromise = Promise.all(
    faultNames.map((name, index) =>
      faults[name].inject(environment, seededRandom(`${seed} fault ${index}`)),
    ),
  ).finally(() => {
    isFaultOver = true
  })
  const simulateUser = async (user: SimulatedUser, index: number) => {
    const random = seededRandom(`${seed} ${index}`)
    await actRandomly(user, random, areDownloadsCounted)
    while (hasLongFault && !isFaultOver) {
      await wait(pauseMs)
      await actRandomly(user, random, areDownloadsCounted)
    }
  }
  await Promise.all([injectionPromise, ...users.map(simulateUser)])
  for (const name of faultNames) result.faults[name] = (result.faults[name] ?? 0) + 1
  await recover(environment, users)
  if (isLastRound || faultNames.includes('no fault')) await Promise.all(users.map(finishUploads))
  recordTime(run)
  const random = seededRandom(`${seed} check`)
  const isClockSteady = !faultNames.some((name) =>
    faults[name].affects.some((target) => target === 'clock'),
  )
  const clockReadings = { now: server.now(), latest: run.latest, isClockSteady }
  for (const user of users) {
    result.downloads += await checkUser(user, clockReadings, random, shouldCheckAllLinks)
  }
  await checkFreeLimit(environment.directDb, run.latest, defaultLimits.free.maxFiles ?? 0)
  await server.setClock(new Date(server.now().getTime() + clockStepMs))
  recordTime(run)
  environment.bucketNetwork?.clearExchanges()
}

function recordTime(run: ScenarioRun): void {
  const now = run.environment.server.now()
  if (now > run.latest) run.latest = now
}

import { setTimeout as wait } from 'node:timers/promises'
import { CrashUser } from './crash-user.ts'
import { chooseRounds } from './rounds.ts'
import { type RandomInt, runSeededRounds } from './seeded-rounds.ts'

const userCount = 3
/** How long a user pauses between cycles, to leave CPU time to a restarting server. */
const pauseMs = 100
/** In runs of this many rounds or more, at least one renewal must complete without a crash. */
const minRoundsForRenewal = 30

/**
 * Returns how many times a test kills the server: CRASH_ROUNDS if it is set (as by `npm run
 * crashes`), otherwise 30 in a long run and `shortRounds` in a short one.
 */
export function chooseCrashRounds(shortRounds: number): number {
  return Number(process.env.CRASH_ROUNDS ?? chooseRounds(shortRounds, 30))
}

/**
 * Simulates users while servers are repeatedly killed and restarted, then verifies everything that
 * the servers confirmed.
 * @param kill kills a server with SIGKILL. Resolves when the server is up again.
 * @throws an error that describes the mismatch and contains the seed.
 */
export async function runCrashScenario(
  server: { url: string },
  rounds: number,
  kill: (round: number, random: RandomInt) => Promise<() => Promise<void>>,
): Promise<void> {
  const users: CrashUser[] = []
  let isRunning = true
  let isRestarting = false
  let failure: unknown
  const runPromises: Promise<void>[] = []
  let round = 0
  await runSeededRounds(rounds, async (random) => {
    round += 1
    if (round === 1) {
      for (let userIndex = 0; userIndex < userCount; userIndex += 1) {
        users.push(await CrashUser.register(server, random))
      }
      const runUser = async (user: CrashUser) => {
        while (isRunning) {
          await user.runCycle()
          if (isRestarting) await wait(pauseMs)
        }
      }
      runPromises.push(
        ...users.map((user) =>
          runUser(user).catch((error: unknown) => {
            failure ??= error
            isRunning = false
          }),
        ),
      )
    }
    await wait(200 + random(800))
    const waitForRestart = await kill(round, random)
    await wait(random(300))
    isRestarting = true
    await waitForRestart()
    isRestarting = false
    if (round === rounds || !isRunning) {
      isRunning = false
      await Promise.all(runPromises)
    }
    if (failure !== undefined) throw failure
    if (round === rounds) for (const user of users) await user.expectNothingLost()
  })
  const sumCounts = (getCount: (user: CrashUser) => number) =>
    users.reduce((total, user) => total + getCount(user), 0)
  const summary = {
    rounds,
    stories: sumCounts(({ cycles }) => cycles),
    files: sumCounts(({ fileCount }) => fileCount),
    renewed: sumCounts(({ renewals }) => renewals),
    retries: sumCounts(({ retries }) => retries),
  }
  process.stderr.write(`crashes: ${JSON.stringify(summary)}\n`)
  if (rounds >= minRoundsForRenewal && summary.renewed === 0)
    throw new Error('no renewal succeeded')
}

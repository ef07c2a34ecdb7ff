import { setTimeout as wait } from 'node:timers/promises'
import { CrashPlayer } from './crash-player.ts'
import { roundsOf } from './rounds.ts'
import { type Draw, seededRounds } from './seeded-rounds.ts'

const players = 3
/**
 * How long a player rests between two stories while a killed server starts again. Without a rest,
 * the players would take the processor from that server.
 */
const restMs = 100
/** In so many rounds the players are sure to renew a link that no killed server disturbs. */
const enoughToRenew = 30

/**
 * Returns how often a test kills a server. `npm run crashes` sets CRASH_ROUNDS to that number.
 * Without it the number is `inShort`, or 30 in a run of `npm run test:long`.
 */
export function roundsOfCrashes(inShort: number): number {
  return Number(process.env.CRASH_ROUNDS ?? roundsOf(inShort, 30))
}

/**
 * Lets players use the servers while one server after the other is killed and started again. Then
 * checks that everything is still there that a server has acknowledged.
 * @param kill kills a server by SIGKILL. The function that it returns resolves when that server
 * serves again.
 * @throws an error that says what was wrong, and names the seed of the run.
 */
export async function playCrashes(
  server: { url: string },
  rounds: number,
  kill: (round: number, draw: Draw) => Promise<() => Promise<void>>,
): Promise<void> {
  const joined: CrashPlayer[] = []
  let playing = true
  let isStarting = false
  let fault: unknown
  const games: Promise<void>[] = []
  let round = 0
  await seededRounds(rounds, async (draw) => {
    round += 1
    if (round === 1) {
      for (let player = 0; player < players; player += 1) {
        joined.push(await CrashPlayer.join(server, draw))
      }
      const play = async (player: CrashPlayer) => {
        while (playing) {
          await player.playStory()
          if (isStarting) await wait(restMs)
        }
      }
      games.push(
        ...joined.map((player) =>
          play(player).catch((error: unknown) => {
            fault ??= error
            playing = false
          }),
        ),
      )
    }
    await wait(200 + draw(800))
    const untilBack = await kill(round, draw)
    await wait(draw(300))
    isStarting = true
    await untilBack()
    isStarting = false
    if (round === rounds || !playing) {
      playing = false
      await Promise.all(games)
    }
    if (fault !== undefined) throw fault
    if (round === rounds) for (const player of joined) await player.expectNothingLost()
  })
  const sum = (figure: (player: CrashPlayer) => number) =>
    joined.reduce((total, player) => total + figure(player), 0)
  const figures = {
    rounds,
    stories: sum(({ stories }) => stories),
    files: sum(({ fileCount }) => fileCount),
    renewed: sum(({ renewed }) => renewed),
    repeated: sum(({ repeated }) => repeated),
  }
  process.stderr.write(`crashes: ${JSON.stringify(figures)}\n`)
  if (rounds >= enoughToRenew && figures.renewed === 0) throw new Error('no renewal was answered')
}

import { setTimeout as wait } from 'node:timers/promises'
import { defaultLimits } from '../../src/shared/rules/tier-limits.ts'
import { logIn, makeClient, signUp } from '../support/make.ts'
import { numbersFrom } from '../support/seeded-rounds.ts'
import { checkDeeply, checkPlayer } from './checks.ts'
import { Violation } from './expected-file.ts'
import { drawFaults, type FaultName, faults } from './faults.ts'
import { checkFreeLimit } from './invariants.ts'
import type { Letterbox } from './letters.ts'
import { type Player, playUser, uploadFirst } from './player.ts'
import { recover } from './recover.ts'
import { type SetupName, setups } from './setups.ts'
import { type Place, type Stage, setStage } from './stage.ts'

const tiersOfPlayers = ['free', 'premium', 'premium'] as const
/** After so many rounds all links are opened, and not only those that could have changed. */
const roundsBetweenWholeChecks = 5
const roundsBetweenDeepChecks = 20
/**
 * The clock of the server is advanced by this after each round. So no two rounds happen at the same
 * time of that clock.
 */
const betweenRoundsMs = 1000
/** How long a player rests before playing again during a long fault. */
const pauseMs = 1000

/** What has happened in a play so far. */
export interface Played {
  rounds: number
  /** How often each fault was injected. */
  faults: Partial<Record<FaultName, number>>
  /** How many uploads were confirmed and answered with a file. */
  files: number
  downloads: number
}

/** What is to be played. */
export interface Plan {
  seed: number
  setup: SetupName
  rounds: number
  /**
   * The fault that every round has. With this field the server waits for Postgres as long as in
   * production. Without it the seed draws the faults, and the server waits for a shorter time.
   */
  only?: FaultName
}

interface Game {
  stage: Stage
  players: Player[]
  letterbox: Letterbox
  /** The latest moment that the server's clock has shown. */
  latest: Date
  played: Played
}

/**
 * Plays users against a real server and Postgres. In each round the seed draws one fault or two, or
 * none. After each round, everything that the server has answered must still be true. Drops the
 * database at the end.
 * @param onRound is called after each round.
 * @throws {Violation} if an answer is no longer true. The message names the seed, the setup and the
 * round.
 */
export async function play(
  place: Place,
  { seed, setup, rounds, only }: Plan,
  onRound: () => void = () => {},
): Promise<Played> {
  const isLong = rounds > roundsBetweenWholeChecks
  const stage = await setStage(place, setup, { isLong, limits: only ? 'production' : 'short' })
  const scene = { ...setups[setup], ownsPostgres: place.postgres !== null }
  const played: Played = { rounds: 0, faults: {}, files: 0, downloads: 0 }
  const letterbox: Letterbox = new Map()
  const game: Game = { stage, players: [], letterbox, latest: stage.server.now(), played }
  try {
    for (const [at, tier] of tiersOfPlayers.entries()) {
      const player = await makePlayer(stage, tier, at + 1)
      await uploadFirst(player, numbersFrom(`${seed} first ${at}`))
      game.players.push(player)
    }
    for (let round = 1; round <= rounds; round += 1) {
      const drawn = only ? [only] : drawFaults(scene, numbersFrom(`${seed} ${round}`))
      try {
        await playRound(game, drawn, `${seed} ${round}`, round % roundsBetweenWholeChecks === 0)
        if (round % roundsBetweenDeepChecks === 0 || round === rounds) {
          await checkDeeply(stage, game.players, letterbox, () => noteTime(game))
        }
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error)
        const where = `--seed ${seed} --setup ${setup}, round ${round}, ${drawn.join(' and ')}`
        throw new Violation(`${where}: ${said}`, { cause: error })
      }
      played.rounds = round
      onRound()
    }
    return played
  } finally {
    await stage.close()
  }
}

async function makePlayer(
  { server, witness }: Stage,
  tier: Player['tier'],
  number: number,
): Promise<Player> {
  const { email, password } = await signUp(server)
  await witness.query('update users set tier = $1 where email = $2', [tier, email])
  return {
    url: server.url,
    email,
    passwords: [password],
    oldPassword: null,
    letters: { least: 0, most: 0 },
    tier,
    number,
    days: defaultLimits[tier].expirationDays,
    client: makeClient(server, await logIn(server, email, password)),
    files: [],
    attempts: new Map(),
    confirmed: new Set(),
    pending: [],
    begun: 0,
  }
}

async function playRound(
  game: Game,
  drawn: readonly FaultName[],
  seed: string,
  isWhole: boolean,
): Promise<void> {
  const { stage, players, played } = game
  const { server } = stage
  const isCounted = !drawn.some((name) => faults[name].losesCounts)
  const isLong = drawn.some((name) => faults[name].isLong)
  let isOver = false
  const injected = Promise.all(
    drawn.map((name, at) => faults[name].inject(stage, numbersFrom(`${seed} fault ${at}`))),
  ).finally(() => {
    isOver = true
  })
  const playOn = async (player: Player, at: number) => {
    const random = numbersFrom(`${seed} ${at}`)
    await playUser(player, random, isCounted)
    while (isLong && !isOver) {
      await wait(pauseMs)
      await playUser(player, random, isCounted)
    }
  }
  await Promise.all([injected, ...players.map(playOn)])
  for (const name of drawn) played.faults[name] = (played.faults[name] ?? 0) + 1
  for (const { confirmed } of players) played.files += confirmed.size
  await recover(stage, players)
  noteTime(game)
  const random = numbersFrom(`${seed} check`)
  const moments = { now: server.now(), latest: game.latest }
  for (const player of players) {
    played.downloads += await checkPlayer(player, moments, random, isWhole)
  }
  await checkFreeLimit(stage.witness, server.now(), defaultLimits.free.maxFiles ?? 0)
  await server.setClock(new Date(server.now().getTime() + betweenRoundsMs))
  noteTime(game)
  stage.bucketNetwork?.forget()
}

function noteTime(game: Game): void {
  const now = game.stage.server.now()
  if (now > game.latest) game.latest = now
}

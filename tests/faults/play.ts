import { setTimeout as wait } from 'node:timers/promises'
import { defaultLimits } from '../../src/shared/rules/tiers/tier-limits.ts'
import { logIn, makeClient, signUp } from '../support/make.ts'
import { numbersFrom } from '../support/seeded-rounds.ts'
import { type Step, steps } from './ask.ts'
import { checkDeeply, checkPlayer } from './checks.ts'
import type { Letterbox } from './emails.ts'
import { Violation } from './expected-file.ts'
import { drawFaults, type FaultName, faults } from './faults.ts'
import { checkFreeLimit } from './invariants.ts'
import { finishUploads, type Player, playUser, uploadFirst } from './player.ts'
import { recover } from './recover.ts'
import { type SetupName, setups } from './setups.ts'
import { type Place, type Stage, setStage } from './stage.ts'

const tiersOfPlayers = ['free', 'premium', 'premium'] as const
/** After so many rounds all links are opened, and not only those that could have changed. */
const roundsBetweenWholeChecks = 5
const roundsBetweenDeepChecks = 20
/** In so many rounds, every step of a player succeeds many times. */
const roundsForEveryStep = 100
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
  downloads: number
  /** How often each step of the players succeeded. */
  steps: Record<Step, number>
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
  const played: Played = { rounds: 0, faults: {}, downloads: 0, steps: stepsOf([], 0) }
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
        const isLast = round === rounds
        const isWhole = round % roundsBetweenWholeChecks === 0
        await playRound(game, drawn, `${seed} ${round}`, { isWhole, isLast })
        if (isLast) played.steps = stepsOf(game.players, rounds)
        if (round % roundsBetweenDeepChecks === 0 || isLast) {
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

/**
 * Returns how often each step of the players succeeded.
 * @throws {Violation} if one never did in a long play.
 */
function stepsOf(players: readonly Player[], rounds: number): Record<Step, number> {
  const counts = steps.map((step) => {
    const sum = players.reduce((sum, { succeeded }) => sum + (succeeded.get(step) ?? 0), 0)
    if (sum === 0 && rounds >= roundsForEveryStep) throw new Violation(`to ${step} never worked`)
    return [step, sum] as const
  })
  return Object.fromEntries(counts) as Record<Step, number>
}

async function makePlayer(
  { server, witness }: Stage,
  tier: Player['tier'],
  number: number,
): Promise<Player> {
  const { email, password } = await signUp(server)
  await witness.query('update users set tier = $1 where email = $2', [tier, email])
  const player: Player = {
    url: server.url,
    email,
    passwords: [password],
    oldPassword: null,
    emails: { least: 0, most: 0 },
    tier,
    number,
    days: defaultLimits[tier].expirationDays,
    client: makeClient(server, await logIn(server, email, password)),
    files: [],
    attempts: new Map(),
    confirmed: new Set(),
    notFound: new Set(),
    succeeded: new Map(),
    mayBeSignedOut: () => player.passwords.length > 1,
    pending: [],
    begun: 0,
  }
  return player
}

async function playRound(
  game: Game,
  drawn: readonly FaultName[],
  seed: string,
  { isWhole, isLast }: { isWhole: boolean; isLast: boolean },
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
  await recover(stage, players)
  if (isLast || drawn.includes('no fault')) await Promise.all(players.map(finishUploads))
  noteTime(game)
  const random = numbersFrom(`${seed} check`)
  const isClockSteady = !drawn.some((name) =>
    faults[name].disturbs.some((what) => what === 'clock'),
  )
  const moments = { now: server.now(), latest: game.latest, isClockSteady }
  for (const player of players) {
    played.downloads += await checkPlayer(player, moments, random, isWhole)
  }
  await checkFreeLimit(stage.witness, game.latest, defaultLimits.free.maxFiles ?? 0)
  await server.setClock(new Date(server.now().getTime() + betweenRoundsMs))
  noteTime(game)
  stage.bucketNetwork?.forget()
}

function noteTime(game: Game): void {
  const now = game.stage.server.now()
  if (now > game.latest) game.latest = now
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { File } from '../../src/shared/contract/files.ts'
import { defaultLimits } from '../../src/shared/rules/tier-limits.ts'
import { freePort } from '../support/free-port.ts'
import { hangMs } from '../support/hang.ts'
import { json, logIn, makeClient, signUp } from '../support/make.ts'
import { startPostgresProxy } from '../support/postgres-proxy.ts'
import type { TestDatabase } from '../support/postgres-server.ts'
import { type Draw, numbersFrom } from '../support/seeded-rounds.ts'
import { mustOpen, settle, Violation } from './expected-file.ts'
import { faultServer } from './fault-server.ts'
import { drawFault, type FaultName, faults, type Stage } from './faults.ts'
import { checkArriving, checkFreeLimit, checkStored } from './invariants.ts'
import { download, type Player, playUser } from './player.ts'

const tiersOfPlayers = ['free', 'premium', 'premium'] as const
const roundsBetweenDeepChecks = 20
/** How many links that were replaced by a renewal are tried for each player after a round. */
const deadLinksTried = 3
const pollMs = 20
const dayMs = 24 * 60 * 60_000
/**
 * The clock of the server is advanced by this after each round. So no two rounds happen at the same
 * time of that clock.
 */
const betweenRoundsMs = 1000

/** What has happened in the game so far. */
export interface Played {
  rounds: number
  /** How often each fault was injected. */
  faults: Partial<Record<FaultName, number>>
  /** How many uploads were confirmed and answered with a file. */
  files: number
  downloads: number
}

interface Game extends Stage {
  players: Player[]
  dataDir: string
  /** The latest moment that the server's clock has shown. */
  latest: Date
  played: Played
}

/**
 * Plays users against a real server and Postgres. In each round the seed draws a fault, which may
 * also be none. After each round, everything that the server has answered must still be true. With
 * an odd seed the server is one of several that may use its folder. With an even seed it is alone
 * there.
 * @throws {Violation} if an answer is no longer true. The message names the seed and the round.
 */
export async function play(
  database: TestDatabase,
  seed: number,
  rounds: number,
  onRound: (round: number, played: Played) => void = () => {},
): Promise<Played> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mayfly-faults-'))
  const network = await startPostgresProxy(database.url)
  const witness = new pg.Client({ connectionString: database.url })
  await witness.connect()
  const port = await freePort()
  const now = Date.now()
  const isOneOfSeveral = seed % 2 !== 0
  const server = faultServer({ databaseUrl: network.url, dataDir, port, now, isOneOfSeveral })
  const played: Played = { rounds: 0, faults: {}, files: 0, downloads: 0 }
  try {
    await server.start()
    const game: Game = {
      server,
      network,
      witness,
      players: [],
      dataDir,
      latest: server.now(),
      played,
    }
    for (const [at, tier] of tiersOfPlayers.entries()) {
      game.players.push(await makePlayer(game, tier, at + 1))
    }
    for (let round = 1; round <= rounds; round += 1) {
      const fault = drawFault(numbersFrom(`${seed} ${round}`))
      try {
        await playRound(game, fault, `${seed} ${round}`)
        if (round % roundsBetweenDeepChecks === 0 || round === rounds) await checkDeeply(game)
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error)
        throw new Violation(`seed ${seed}, round ${round}, ${fault}: ${said}`, { cause: error })
      }
      played.rounds = round
      onRound(round, played)
    }
    return played
  } finally {
    await server.kill()
    await witness.end()
    await network.close()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function makePlayer(
  { server, witness }: Game,
  tier: Player['tier'],
  number: number,
): Promise<Player> {
  const { email, password } = await signUp(server)
  await witness.query('update users set tier = $1 where email = $2', [tier, email])
  const client = makeClient(server, await logIn(server, email, password))
  const days = defaultLimits[tier].expirationDays
  return {
    email,
    password,
    tier,
    number,
    days,
    client,
    files: [],
    attempts: new Map(),
    pending: [],
    begun: 0,
  }
}

async function playRound(game: Game, name: FaultName, seed: string): Promise<void> {
  const { server, players, played } = game
  const fault = faults[name]
  const before = filesOf(game).length
  await Promise.all([
    fault.inject(game, numbersFrom(`${seed} fault`)),
    ...players.map((player, at) =>
      playUser(player, server.url, numbersFrom(`${seed} ${at}`), !fault.losesCounts),
    ),
  ])
  played.faults[name] = (played.faults[name] ?? 0) + 1
  played.files += Math.max(0, filesOf(game).length - before)
  await recover(game)
  noteTime(game)
  const random = numbersFrom(`${seed} check`)
  for (const player of players) await checkPlayer(game, player, random)
  await checkFreeLimit(game.witness, server.now(), defaultLimits.free.maxFiles ?? 0)
  await server.setClock(new Date(server.now().getTime() + betweenRoundsMs))
  noteTime(game)
}

function filesOf({ players }: Game) {
  return players.flatMap(({ files }) => files)
}

function noteTime(game: Game): void {
  const now = game.server.now()
  if (now > game.latest) game.latest = now
}

/**
 * Starts the server if it was killed. Waits until it answers, and signs in whoever is signed out.
 */
async function recover(game: Game): Promise<void> {
  const { server, network } = game
  network.open()
  await server.start()
  const deadline = performance.now() + hangMs
  for (;;) {
    try {
      return await expectReady(game)
    } catch (error) {
      if (performance.now() > deadline) throw new Violation(`no recovery: ${error}`)
      await wait(pollMs)
    }
  }
}

async function expectReady({ server, players }: Game): Promise<void> {
  const ready = await fetch(`${server.url}/api/ready`)
  if (!ready.ok) throw new Error(`/api/ready answers ${ready.status}`)
  for (const player of players) {
    const known = await player.client.fetch('/api/auth/user')
    if (known.ok) continue
    if (known.status !== 401) throw new Error(`/api/auth/user answers ${known.status}`)
    // A session ends after 14 days without use. The clock may have been advanced by more than that.
    player.client = makeClient(server, await logIn(server, player.email, player.password))
  }
}

/** Compares the answers that a player got in this round with what the server shows now. */
async function checkPlayer(game: Game, player: Player, random: Draw): Promise<void> {
  const { server, latest, played } = game
  const now = server.now()
  const answer = await player.client.fetch('/api/files')
  if (!answer.ok) throw new Violation(`the list of files answered ${answer.status}`)
  const listed = new Map((await json<File[]>(answer)).map((file) => [file.id, file]))
  player.files = player.files.map((file) =>
    settle(
      file,
      player.attempts.get(file.id) ?? { renewals: [], deletion: 'none' },
      listed.get(file.id),
    ),
  )
  const asked = new Set(player.attempts.keys())
  player.attempts.clear()
  for (const file of player.files) {
    const isOpen = await opens(server.url, file.code)
    const expected = mustOpen(file, now, latest)
    if (expected !== null && isOpen !== expected) {
      throw new Violation(`the link of ${file.name} is ${isOpen ? 'open' : 'closed'}`)
    }
    // Downloads every file that the player renewed or deleted in this round, and some of the
    // others.
    if (expected === true && (asked.has(file.id) || random(4) === 0)) {
      const status = await download(server.url, file, true)
      if (status !== 200) throw new Violation(`${file.name} cannot be downloaded: ${status}`)
      played.downloads += 1
    }
  }
  const dead = player.files.flatMap(({ deadCodes }) => deadCodes)
  for (let tried = 0; tried < Math.min(deadLinksTried, dead.length); tried += 1) {
    const code = dead[random(dead.length)] ?? ''
    if (await opens(server.url, code)) throw new Violation(`the old link ${code} opens`)
  }
  player.files = player.files.filter((file) => !file.isDeleted && latest < file.maxLifetimeAt)
}

async function opens(url: string, code: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/links/${code}`)
  await answer.arrayBuffer()
  if (answer.status !== 200 && answer.status !== 404) {
    throw new Violation(`/api/links/${code} answered ${answer.status}`)
  }
  return answer.status === 200
}

/**
 * Advances the clock by a day and runs the jobs that remove bytes, both twice. Then compares the
 * stored bytes with the rows of the database.
 */
async function checkDeeply(game: Game): Promise<void> {
  const { server, witness, dataDir } = game
  for (let pass = 0; pass < 2; pass += 1) {
    await server.setClock(new Date(server.now().getTime() + dayMs + 1))
    noteTime(game)
    for (const what of ['run-jobs', 'compare-storage'] as const) {
      if (!(await server.order({ do: what }))) throw new Violation(`${what} failed`)
    }
  }
  await checkStored(witness, join(dataDir, 'files'))
  await checkArriving(witness, join(dataDir, 'uploads'))
}

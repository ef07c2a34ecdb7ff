import { randomBytes } from 'node:crypto'
import { setImmediate as soon } from 'node:timers/promises'
import { expect } from 'vitest'
import type { File } from '../../src/shared/contract/files.ts'
import { defaultLimits } from '../../src/shared/rules/tiers/tier-limits.ts'
import { checkAfterTwoDays } from '../faults/checks.ts'
import { expectClearError } from '../faults/clear-error.ts'
import { type Backends, type Environment, startEnvironment } from '../faults/environment.ts'
import { checkFreeLimit, checkStoredFiles } from '../faults/invariants.ts'
import type { SetupName } from '../faults/setups.ts'
import { eventually } from './eventually.ts'
import {
  askForRenewal,
  type Client,
  expectOk,
  json,
  logIn,
  makeClient,
  makeFile,
  putBytes,
  sha256,
  signUp,
  startUpload,
} from './make.ts'
import { losses, type PostgresProxy } from './postgres-proxy.ts'
import { isLongRun } from './rounds.ts'
import { type Draw, seededRounds } from './seeded-rounds.ts'
import { askToConfirm, type EntryResult } from './upload-batches.ts'
import { confirm } from './upload-requests.ts'

const dayMs = 24 * 60 * 60_000
/** The days for which a renewal asks. The first link of a file gets fewer. */
const renewalDays = 7
const mostBytes = 20_000

/**
 * When the server is killed: at any statement of the calls, or when a commit is lost on its way to
 * Postgres, or when only the answer to it is lost. A lost commit has certainly not happened. A lost
 * answer means that the work is done, and that nobody was told.
 */
const kills = [...losses, 'any statement'] as const
type Kill = (typeof kills)[number]

/** How a call ended for a file. One that was not answered may be done or not. */
type Outcome = 'answered' | 'done' | 'not done'

type Bytes = Uint8Array<ArrayBuffer>

/** The bytes that links must give, by short code. */
type Links = Map<string, Bytes>

/** A call that is on its way when the server is killed. */
interface Call {
  kind: 'confirm' | 'confirm of several' | 'renewal'
  /** Resolves when the server has answered or was killed. */
  send(): Promise<void>
  /**
   * Called when the server runs again. Expects that the call is done whole or not at all, as it was
   * answered, and that the same call now succeeds. Adds the links that are open then to `links`.
   * Returns what the killed call had done to each of its files.
   */
  settle(links: Links): Promise<Outcome[]>
}

interface SentUpload {
  name: string
  cloudKey: string
  bytes: Bytes
}

/** How many statements the calls of a round need when nothing disturbs them. */
interface Needed {
  statements: number
  commits: number
}

/**
 * Sends confirms and renewals of a free and a premium user at the same time, and kills the server
 * meanwhile, again and again. After each kill, each call must be done whole or not at all.
 * @throws an error that says what was wrong, and names the seed of the run.
 */
export async function playKilledConfirms(
  place: Backends,
  setup: SetupName,
  rounds: number,
): Promise<void> {
  const stage = await startEnvironment(place, setup, { isLong: isLongRun, limits: 'short' })
  const links: Links = new Map()
  const outcomes = new Map<string, number>()
  let renewals = 0
  let round = 0
  const note = ({ kind }: Call, outcome: Outcome) => {
    const what = `${kind}: ${outcome}`
    outcomes.set(what, (outcomes.get(what) ?? 0) + 1)
    // Each renewal is repeated, so one that was done before makes two.
    if (kind === 'renewal') renewals += outcome === 'not done' ? 1 : 2
  }
  const settleAll = async (calls: readonly Call[]) => {
    const ends: Outcome[] = []
    for (const call of calls) {
      for (const outcome of await call.settle(links)) {
        note(call, outcome)
        ends.push(outcome)
      }
    }
    await expectInOrder(stage, renewals)
    return ends
  }
  try {
    const undisturbed = await prepareCalls(stage)
    stage.network.count()
    await Promise.all(undisturbed.map((call) => call.send()))
    const needed = {
      statements: stage.network.statements.length,
      commits: stage.network.statements.filter(isCommit).length,
    }
    expect(new Set(await settleAll(undisturbed))).toEqual(new Set(['answered']))
    outcomes.clear()

    let interrupted = 0
    await seededRounds(rounds, async (draw) => {
      const kill = kills[round % kills.length] ?? 'any statement'
      round += 1
      const calls = await prepareCalls(stage)
      await killDuring(stage, calls, aim(stage.network, kill, needed, draw))
      await stage.server.start()
      const ends = await settleAll(calls)
      if (kill === 'the answer') expect(ends).toContain('done')
      if (kill === 'the statement') expect(ends).toContain('not done')
      if (ends.some((end) => end !== 'answered')) interrupted += 1
      stage.bucketNetwork?.forget()
    })
    process.stderr.write(`killed confirms: ${JSON.stringify(Object.fromEntries(outcomes))}\n`)
    expect(interrupted).toBeGreaterThanOrEqual(rounds / 2)
    if (isLongRun) expectEveryOutcome(outcomes)
    for (const [code, bytes] of links) await expectOpens(stage, code, bytes)
    await checkAfterTwoDays(stage, [], new Map(), () => {})
  } finally {
    await stage.close()
  }
}

function isCommit(statement: string): boolean {
  return statement === 'commit'
}

/** Prepares a disturbance. Returns a function that tells when the server is to be killed. */
function aim(network: PostgresProxy, kill: Kill, needed: Needed, draw: Draw): () => boolean {
  if (kill === 'any statement') {
    network.count()
    const last = 1 + draw(needed.statements)
    return () => network.statements.length >= last
  }
  const last = 1 + draw(needed.commits)
  network.silenceAt(last, kill, isCommit)
  return () => network.statements.filter(isCommit).length >= last
}

/** Sends all calls at the same time, and kills the server when `isDue` says so. */
async function killDuring(
  { server, network, directDb }: Environment,
  calls: readonly Call[],
  isDue: () => boolean,
): Promise<void> {
  let isAnswered = false
  const sent = Promise.all(calls.map((call) => call.send())).then(() => {
    isAnswered = true
  })
  while (!isDue() && !isAnswered) await soon()
  await server.kill()
  await sent
  network.open()
  // Postgres may still be at work for the killed server. What it finds out later would make a
  // check true or false while the check runs.
  await eventually(async () => {
    const { rows } = await directDb.query(
      `select query from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
    expect(rows).toEqual([])
  })
}

/** Makes two users with what they need for the calls of a round. Returns the calls. */
async function prepareCalls(stage: Environment): Promise<Call[]> {
  const free = await makeUser(stage, 'free')
  const premium = await makeUser(stage, 'premium')
  // Confirms of a free user run in a transaction, because the files are counted. Those of a premium
  // user are one statement.
  return [
    confirming(stage, free, await sendUploads(free, ['free 1'])),
    confirming(stage, free, await sendUploads(free, ['free 2', 'free 3'])),
    confirming(stage, premium, await sendUploads(premium, ['premium 1'])),
    confirming(stage, premium, await sendUploads(premium, ['premium 2', 'premium 3'])),
    renewing(stage, premium, await makeFile(premium, { name: 'renewed 1', days: '3' })),
    renewing(stage, premium, await makeFile(premium, { name: 'renewed 2', days: '5' })),
  ]
}

async function makeUser(
  { server, directDb }: Environment,
  tier: 'free' | 'premium',
): Promise<Client> {
  const { email, password } = await signUp(server)
  await directDb.query('update users set tier = $1 where email = $2', [tier, email])
  return makeClient(server, await logIn(server, email, password))
}

/** Starts uploads with these names, and sends all their bytes. */
async function sendUploads(user: Client, names: readonly string[]): Promise<SentUpload[]> {
  const sent: SentUpload[] = []
  for (const name of names) {
    const bytes = new Uint8Array(randomBytes(1 + (randomBytes(2).readUInt16BE() % mostBytes)))
    const started = await startUpload(user, { name, size: bytes.length })
    await expectOk(await putBytes(started, bytes))
    sent.push({ name, cloudKey: started.cloudKey, bytes })
  }
  return sent
}

/** Confirms one upload by the call for one, or several by the call for many. */
function confirming(stage: Environment, user: Client, uploads: readonly SentUpload[]): Call {
  const [first] = uploads
  const isOne = uploads.length === 1
  const ask = () =>
    isOne
      ? confirm(user, first?.cloudKey ?? '')
      : askToConfirm(
          user,
          uploads.map(({ cloudKey }) => ({ cloudKey })),
        )
  const filesIn = async (answer: Response): Promise<File[]> => {
    await expectOk(answer)
    if (isOne) return [await json<File>(answer)]
    const { results } = await json<{ results: EntryResult<File>[] }>(answer)
    return results.flatMap((result) => result.answer ?? [])
  }
  let heard: Response | null = null
  return {
    kind: isOne ? 'confirm' : 'confirm of several',
    async send() {
      heard = await wholeAnswer(ask)
    },
    async settle(links) {
      const told = heard && (await filesIn(heard))
      const listed = await listOf(user)
      const found = uploads.map(({ name }) => listed.get(name))
      if (told) expect(found.map(linkOf)).toEqual(told.map(linkOf))
      for (const [at, { bytes }] of uploads.entries()) {
        const code = found[at]?.shortCode
        if (code !== undefined) await expectOpens(stage, code, bytes)
      }
      const again = await filesIn(await ask())
      expect(again).toHaveLength(uploads.length)
      for (const [at, { bytes }] of uploads.entries()) {
        const file = again[at]
        if (found[at]) expect(linkOf(file)).toEqual(linkOf(found[at]))
        // A server that was started anew need not know the SHA-256 of bytes yet.
        expect([sha256(bytes), null]).toContain(file?.sha256 ?? null)
        await expectOpens(stage, file?.shortCode ?? '', bytes)
        links.set(file?.shortCode ?? '', bytes)
      }
      return found.map((file) => (told ? 'answered' : file ? 'done' : 'not done'))
    },
  }
}

/** Renews a file. */
function renewing(stage: Environment, user: Client, file: File & { bytes: Bytes }): Call {
  const { id, originalName, bytes } = file
  const ask = () => askForRenewal(user, id, { expirationDays: renewalDays })
  const renewed = async (answer: Response): Promise<File> => {
    await expectOk(answer)
    return json<File>(answer)
  }
  let heard: Response | null = null
  return {
    kind: 'renewal',
    async send() {
      heard = await wholeAnswer(ask)
    },
    async settle(links) {
      const told = heard && (await renewed(heard))
      const renewedEnd = new Date(stage.server.now().getTime() + renewalDays * dayMs).toISOString()
      const listed = (await listOf(user)).get(originalName)
      if (told) expect(linkOf(listed)).toEqual(linkOf(told))
      const isRenewed = listed?.shortCode !== file.shortCode
      if (told) expect(isRenewed).toBe(true)
      // The new link has the new end, and the old one the old end.
      expect(listed?.expiresAt).toBe(isRenewed ? renewedEnd : file.expiresAt)
      await expectOpens(stage, listed?.shortCode ?? '', bytes)
      if (isRenewed) await expectEnded(stage, file.shortCode)

      const again = await renewed(await ask())
      expect(again).toMatchObject({ id, expiresAt: renewedEnd })
      await expectOpens(stage, again.shortCode, bytes)
      await expectEnded(stage, listed?.shortCode ?? '')
      links.set(again.shortCode, bytes)
      if (told) return ['answered']
      return [isRenewed ? 'done' : 'not done']
    },
  }
}

/**
 * Sends a request and reads the whole answer. Returns null if there is none, because the server was
 * killed, or if it is a clear refusal of a server that misses its database.
 */
async function wholeAnswer(request: () => Promise<Response>): Promise<Response | null> {
  const answer = await request().catch(() => null)
  if (answer && answer.status >= 500) {
    await expectClearError(answer)
    return null
  }
  const body = await answer?.text().catch(() => null)
  return answer && typeof body === 'string' ? new Response(body, { status: answer.status }) : null
}

function linkOf(file: File | undefined) {
  return file && { id: file.id, shortCode: file.shortCode, expiresAt: file.expiresAt }
}

/** Returns a user's files by their names, of which there must be no two. */
async function listOf(user: Client): Promise<Map<string, File>> {
  const files = await json<File[]>(await user.fetch('/api/files'))
  const named = new Map(files.map((file) => [file.originalName, file]))
  expect(named.size).toBe(files.length)
  return named
}

async function expectOpens({ server }: Environment, code: string, bytes: Bytes): Promise<void> {
  const answer = await fetch(`${server.url}/api/download/${code}`)
  await expectOk(answer)
  expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(bytes))
}

async function expectEnded({ server }: Environment, code: string): Promise<void> {
  expect((await fetch(`${server.url}/api/download/${code}`)).status).toBe(404)
}

/**
 * Expects that the rows fit one another and the stored bytes, when no upload is open any more.
 * @param renewals how many renewals were done since the start. Each has given one short code.
 */
async function expectInOrder(
  { server, directDb, stored }: Environment,
  renewals: number,
): Promise<void> {
  await checkStoredFiles(directDb, stored)
  await checkFreeLimit(directDb, server.now(), defaultLimits.free.maxFiles ?? 0)
  const { rows } = await directDb.query(
    `select (select count(*) from uploads)::int as uploads,
      ((select count(*) from short_codes) - (select count(*) from files))::int as renewals`,
  )
  expect(rows).toEqual([{ uploads: 0, renewals }])
}

/** Expects that each kind of call was answered, done and not done. */
function expectEveryOutcome(outcomes: ReadonlyMap<string, number>): void {
  const kinds: Call['kind'][] = ['confirm', 'confirm of several', 'renewal']
  const ends: Outcome[] = ['answered', 'done', 'not done']
  const missing = kinds.flatMap((kind) =>
    ends.map((end) => `${kind}: ${end}`).filter((what) => !outcomes.has(what)),
  )
  expect(missing).toEqual([])
}

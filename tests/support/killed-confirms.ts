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
  type Client,
  expectOk,
  json,
  logIn,
  makeClient,
  makeFile,
  putBytes,
  requestRenewal,
  sha256,
  signUp,
  startUpload,
} from './make.ts'
import { losses, type PostgresProxy } from './postgres-proxy.ts'
import { isLongRun } from './rounds.ts'
import { type Draw, seededRounds } from './seeded-rounds.ts'
import { type EntryResult, requestConfirm } from './upload-batches.ts'
import { confirm } from './upload-requests.ts'

const dayMs = 24 * 60 * 60_000
/** Days a renewal adds. The first link gets fewer. */
const renewalDays = 7
const maxBytes = 20_000

/**
 * When the server is killed: at any statement, or when a commit or its response is lost. A lost
 * commit had no effect. With a lost response it took effect unnoticed.
 */
const kills = [...losses, 'any statement'] as const
type Kill = (typeof kills)[number]

/** The outcome of a call for one file. */
type Outcome = 'answered' | 'done' | 'not done'

type Bytes = Uint8Array<ArrayBuffer>

/** The expected bytes by link. */
type Links = Map<string, Bytes>

/** A call in progress when the server is killed. */
interface Call {
  kind: 'confirm' | 'confirm of several' | 'renewal'
  /** Resolves when the server has responded or was killed. */
  send(): Promise<void>
  /**
   * Called after the restart. Asserts that the call took effect completely or not at all,
   * consistent with its response, and that a retry succeeds. Adds working links to `links`. Returns
   * the outcome for each file.
   */
  settle(links: Links): Promise<Outcome[]>
}

interface SentUpload {
  name: string
  cloudKey: string
  bytes: Bytes
}

/** Statements in a round without failures. */
interface Needed {
  statements: number
  commits: number
}

/**
 * Kills the server repeatedly during concurrent confirms and renewals. Each call must take effect
 * completely or not at all.
 * @throws an error with the mismatch and the seed.
 */
export async function killDuringConfirms(
  backends: Backends,
  setup: SetupName,
  rounds: number,
): Promise<void> {
  const environment = await startEnvironment(backends, setup, {
    isLong: isLongRun,
    limits: 'short',
  })
  const links: Links = new Map()
  const outcomes = new Map<string, number>()
  let renewals = 0
  let round = 0
  const note = ({ kind }: Call, outcome: Outcome) => {
    const what = `${kind}: ${outcome}`
    outcomes.set(what, (outcomes.get(what) ?? 0) + 1)
    // Each renewal is retried, so a completed one counts twice.
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
    await expectInOrder(environment, renewals)
    return ends
  }
  try {
    const undisturbed = await prepareCalls(environment)
    environment.network.count()
    await Promise.all(undisturbed.map((call) => call.send()))
    const needed = {
      statements: environment.network.statements.length,
      commits: environment.network.statements.filter(isCommit).length,
    }
    expect(new Set(await settleAll(undisturbed))).toEqual(new Set(['answered']))
    outcomes.clear()

    let interrupted = 0
    await seededRounds(rounds, async (draw) => {
      const kill = kills[round % kills.length] ?? 'any statement'
      round += 1
      const calls = await prepareCalls(environment)
      await killDuring(environment, calls, aim(environment.network, kill, needed, draw))
      await environment.server.start()
      const ends = await settleAll(calls)
      if (kill === 'the answer') expect(ends).toContain('done')
      if (kill === 'the statement') expect(ends).toContain('not done')
      if (ends.some((end) => end !== 'answered')) interrupted += 1
      environment.bucketNetwork?.forget()
    })
    process.stderr.write(`killed confirms: ${JSON.stringify(Object.fromEntries(outcomes))}\n`)
    expect(interrupted).toBeGreaterThanOrEqual(rounds / 2)
    if (isLongRun) expectEveryOutcome(outcomes)
    for (const [code, bytes] of links) await expectOpens(environment, code, bytes)
    await checkAfterTwoDays(environment, [], new Map(), () => {})
  } finally {
    await environment.close()
  }
}

function isCommit(statement: string): boolean {
  return statement === 'commit'
}

/** Schedules the failure. The returned function is true when the server must be killed. */
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

/** Sends all calls at once and kills the server once `isDue` returns true. */
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
  // Wait until Postgres has finished the killed server's statements, so that nothing changes during
  // the checks.
  await eventually(async () => {
    const { rows } = await directDb.query(
      `select query from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
    expect(rows).toEqual([])
  })
}

/** Creates two users and the calls of a round. */
async function prepareCalls(environment: Environment): Promise<Call[]> {
  const free = await makeUser(environment, 'free')
  const premium = await makeUser(environment, 'premium')
  // A free user's confirms run in a transaction, because it counts files. A premium user's are a
  // single statement.
  return [
    confirming(environment, free, await sendUploads(free, ['free 1'])),
    confirming(environment, free, await sendUploads(free, ['free 2', 'free 3'])),
    confirming(environment, premium, await sendUploads(premium, ['premium 1'])),
    confirming(environment, premium, await sendUploads(premium, ['premium 2', 'premium 3'])),
    renewing(environment, premium, await makeFile(premium, { name: 'renewed 1', days: '3' })),
    renewing(environment, premium, await makeFile(premium, { name: 'renewed 2', days: '5' })),
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

/** Starts uploads with these names and sends their bytes. */
async function sendUploads(user: Client, names: readonly string[]): Promise<SentUpload[]> {
  const sent: SentUpload[] = []
  for (const name of names) {
    const bytes = new Uint8Array(randomBytes(1 + (randomBytes(2).readUInt16BE() % maxBytes)))
    const started = await startUpload(user, { name, size: bytes.length })
    await expectOk(await putBytes(started, bytes))
    sent.push({ name, cloudKey: started.cloudKey, bytes })
  }
  return sent
}

/** Confirms one upload, or several in a batch call. */
function confirming(environment: Environment, user: Client, uploads: readonly SentUpload[]): Call {
  const [first] = uploads
  const isOne = uploads.length === 1
  const ask = () =>
    isOne
      ? confirm(user, first?.cloudKey ?? '')
      : requestConfirm(
          user,
          uploads.map(({ cloudKey }) => ({ cloudKey })),
        )
  const filesIn = async (response: Response): Promise<File[]> => {
    await expectOk(response)
    if (isOne) return [await json<File>(response)]
    const { results } = await json<{ results: EntryResult<File>[] }>(response)
    return results.flatMap((result) => result.answer ?? [])
  }
  let response: Response | null = null
  return {
    kind: isOne ? 'confirm' : 'confirm of several',
    async send() {
      response = await wholeAnswer(ask)
    },
    async settle(links) {
      const reported = response && (await filesIn(response))
      const listed = await listOf(user)
      const found = uploads.map(({ name }) => listed.get(name))
      if (reported) expect(found.map(linkOf)).toEqual(reported.map(linkOf))
      for (const [at, { bytes }] of uploads.entries()) {
        const code = found[at]?.shortCode
        if (code !== undefined) await expectOpens(environment, code, bytes)
      }
      const again = await filesIn(await ask())
      expect(again).toHaveLength(uploads.length)
      for (const [at, { bytes }] of uploads.entries()) {
        const file = again[at]
        if (found[at]) expect(linkOf(file)).toEqual(linkOf(found[at]))
        // A restarted server may not have computed the SHA-256 yet.
        expect([sha256(bytes), null]).toContain(file?.sha256 ?? null)
        await expectOpens(environment, file?.shortCode ?? '', bytes)
        links.set(file?.shortCode ?? '', bytes)
      }
      return found.map((file) => (reported ? 'answered' : file ? 'done' : 'not done'))
    },
  }
}

function renewing(environment: Environment, user: Client, file: File & { bytes: Bytes }): Call {
  const { id, originalName, bytes } = file
  const ask = () => requestRenewal(user, id, { expirationDays: renewalDays })
  const renewed = async (response: Response): Promise<File> => {
    await expectOk(response)
    return json<File>(response)
  }
  let response: Response | null = null
  return {
    kind: 'renewal',
    async send() {
      response = await wholeAnswer(ask)
    },
    async settle(links) {
      const reported = response && (await renewed(response))
      const renewedEnd = new Date(
        environment.server.now().getTime() + renewalDays * dayMs,
      ).toISOString()
      const listed = (await listOf(user)).get(originalName)
      if (reported) expect(linkOf(listed)).toEqual(linkOf(reported))
      const isRenewed = listed?.shortCode !== file.shortCode
      if (reported) expect(isRenewed).toBe(true)
      // The new link has the new expiry, the old link its old one.
      expect(listed?.expiresAt).toBe(isRenewed ? renewedEnd : file.expiresAt)
      await expectOpens(environment, listed?.shortCode ?? '', bytes)
      if (isRenewed) await expectEnded(environment, file.shortCode)

      const again = await renewed(await ask())
      expect(again).toMatchObject({ id, expiresAt: renewedEnd })
      await expectOpens(environment, again.shortCode, bytes)
      await expectEnded(environment, listed?.shortCode ?? '')
      links.set(again.shortCode, bytes)
      if (reported) return ['answered']
      return [isRenewed ? 'done' : 'not done']
    },
  }
}

/**
 * Sends a request and reads the whole response. Returns null if the server was killed or couldn't
 * reach its database.
 */
async function wholeAnswer(request: () => Promise<Response>): Promise<Response | null> {
  const response = await request().catch(() => null)
  if (response && response.status >= 500) {
    await expectClearError(response)
    return null
  }
  const body = await response?.text().catch(() => null)
  return response && typeof body === 'string'
    ? new Response(body, { status: response.status })
    : null
}

function linkOf(file: File | undefined) {
  return file && { id: file.id, shortCode: file.shortCode, expiresAt: file.expiresAt }
}

async function listOf(user: Client): Promise<Map<string, File>> {
  const files = await json<File[]>(await user.fetch('/api/files'))
  const named = new Map(files.map((file) => [file.originalName, file]))
  expect(named.size).toBe(files.length)
  return named
}

async function expectOpens({ server }: Environment, code: string, bytes: Bytes): Promise<void> {
  const response = await fetch(`${server.url}/api/download/${code}`)
  await expectOk(response)
  expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes))
}

async function expectEnded({ server }: Environment, code: string): Promise<void> {
  expect((await fetch(`${server.url}/api/download/${code}`)).status).toBe(404)
}

/**
 * Asserts that database and storage agree once no upload is open.
 * @param renewals the number of renewals so far, each of which used one short code.
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

/** Asserts that each kind of call had each outcome. */
function expectEveryOutcome(outcomes: ReadonlyMap<string, number>): void {
  const kinds: Call['kind'][] = ['confirm', 'confirm of several', 'renewal']
  const ends: Outcome[] = ['answered', 'done', 'not done']
  const missing = kinds.flatMap((kind) =>
    ends.map((end) => `${kind}: ${end}`).filter((what) => !outcomes.has(what)),
  )
  expect(missing).toEqual([])
}

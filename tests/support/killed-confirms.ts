import { randomBytes } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { expect } from 'vitest'
import type { File } from '../../src/shared/contract/files.ts'
import { defaultLimits } from '../../src/shared/rules/tiers/tier-limits.ts'
import { checkAfterTwoDays } from '../faults/checks.ts'
import { type Backends, type Environment, startEnvironment } from '../faults/environment.ts'
import { checkFreeLimit, checkStoredFiles } from '../faults/invariants.ts'
import type { SetupName } from '../faults/setups.ts'
import { expectValidServerError } from '../faults/valid-server-error.ts'
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
import { lossKinds, type PostgresProxy } from './postgres-proxy.ts'
import { isLongRun } from './rounds.ts'
import { type RandomInt, runSeededRounds } from './seeded-rounds.ts'
import { requestConfirm } from './upload-requests.ts'

const dayMs = 24 * 60 * 60_000
/** The number of days until a renewed link expires. New files expire sooner. */
const renewalDays = 7
const maxBytes = 20_000

/**
 * When the server is killed: at a random statement, or after a commit or the response to it is
 * lost. A lost commit has no effect. If only its response is lost, the commit has taken effect, but
 * the server doesn't know.
 */
const killModes = [...lossKinds, 'any statement'] as const
type KillMode = (typeof killModes)[number]

/** What a call did to one file. 'applied' means that it took effect but the response was lost. */
type Outcome = 'acknowledged' | 'applied' | 'not applied'

type Bytes = Uint8Array<ArrayBuffer>

/** The bytes that each link must serve. */
type Links = Map<string, Bytes>

interface PendingCall {
  kind: 'confirm' | 'renewal'
  /** Resolves when the server has responded or has been killed. */
  send(): Promise<void>
  /**
   * Call this after the restart. Asserts that the call took effect completely or not at all, that
   * its response was correct, and that a retry succeeds. Adds the links that work to `links`.
   * Returns the outcome.
   */
  verify(links: Links): Promise<Outcome>
}

interface SentUpload {
  name: string
  cloudKey: string
  bytes: Bytes
}

/** How many statements and commits the server sends in a round without failures. */
interface StatementCounts {
  statements: number
  commits: number
}

/**
 * Repeatedly kills the server during concurrent confirms and renewals. Each of these calls must
 * take effect completely or not at all.
 * @throws an error that describes the mismatch and contains the seed.
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
  const outcomeCounts = new Map<string, number>()
  let renewalCount = 0
  let round = 0
  const recordOutcome = ({ kind }: PendingCall, outcome: Outcome) => {
    const key = `${kind}: ${outcome}`
    outcomeCounts.set(key, (outcomeCounts.get(key) ?? 0) + 1)
    // Every renewal is sent twice, so count two if the first attempt also took effect.
    if (kind === 'renewal') renewalCount += outcome === 'not applied' ? 1 : 2
  }
  const verifyAll = async (calls: readonly PendingCall[]) => {
    const outcomes: Outcome[] = []
    for (const call of calls) {
      const outcome = await call.verify(links)
      recordOutcome(call, outcome)
      outcomes.push(outcome)
    }
    await expectConsistent(environment, renewalCount)
    return outcomes
  }
  try {
    const baselineCalls = await prepareCalls(environment)
    environment.network.clearStatements()
    await Promise.all(baselineCalls.map((call) => call.send()))
    const baselineCounts = {
      statements: environment.network.statements.length,
      commits: environment.network.statements.filter(isCommit).length,
    }
    expect(new Set(await verifyAll(baselineCalls))).toEqual(new Set(['acknowledged']))
    outcomeCounts.clear()

    let interruptedRoundCount = 0
    await runSeededRounds(rounds, async (random) => {
      const killMode = killModes[round % killModes.length] ?? 'any statement'
      round += 1
      const calls = await prepareCalls(environment)
      await killDuring(
        environment,
        calls,
        scheduleKill(environment.network, killMode, baselineCounts, random),
      )
      await environment.server.start()
      const outcomes = await verifyAll(calls)
      if (killMode === 'the response') expect(outcomes).toContain('applied')
      if (killMode === 'the statement') expect(outcomes).toContain('not applied')
      if (outcomes.some((outcome) => outcome !== 'acknowledged')) interruptedRoundCount += 1
      environment.bucketNetwork?.clearExchanges()
    })
    process.stderr.write(`killed confirms: ${JSON.stringify(Object.fromEntries(outcomeCounts))}\n`)
    expect(interruptedRoundCount).toBeGreaterThanOrEqual(rounds / 2)
    if (isLongRun) expectEveryOutcome(outcomeCounts)
    for (const [code, bytes] of links) await expectDownload(environment, code, bytes)
    await checkAfterTwoDays(environment, [], new Map(), () => {})
  } finally {
    await environment.close()
  }
}

function isCommit(statement: string): boolean {
  return statement === 'commit'
}

/**
 * Prepares the network for this kind of kill. Returns a function that returns true once it is time
 * to kill the server.
 */
function scheduleKill(
  network: PostgresProxy,
  killMode: KillMode,
  baselineCounts: StatementCounts,
  random: RandomInt,
): () => boolean {
  if (killMode === 'any statement') {
    network.clearStatements()
    const statementNumber = 1 + random(baselineCounts.statements)
    return () => network.statements.length >= statementNumber
  }
  const commitNumber = 1 + random(baselineCounts.commits)
  network.silenceAt(commitNumber, killMode, isCommit)
  return () => network.statements.filter(isCommit).length >= commitNumber
}

/** Sends all calls at once and kills the server once `shouldKill` returns true. */
async function killDuring(
  { server, network, directDb }: Environment,
  calls: readonly PendingCall[],
  shouldKill: () => boolean,
): Promise<void> {
  let areCallsDone = false
  const callsPromise = Promise.all(calls.map((call) => call.send())).then(() => {
    areCallsDone = true
  })
  while (!shouldKill() && !areCallsDone) await yieldToEventLoop()
  await server.kill()
  await callsPromise
  network.restore()
  // Wait until Postgres has finished the killed server's statements. Otherwise they could change
  // the data during the checks.
  await eventually(async () => {
    const { rows } = await directDb.query(
      `select query from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
    expect(rows).toEqual([])
  })
}

/** Creates two users and prepares the calls for one round. */
async function prepareCalls(environment: Environment): Promise<PendingCall[]> {
  const freeUser = await makeUser(environment, 'free')
  const premiumUser = await makeUser(environment, 'premium')
  return [
    confirmCall(environment, freeUser, await sendUpload(freeUser, 'free 1')),
    confirmCall(environment, freeUser, await sendUpload(freeUser, 'free 2')),
    confirmCall(environment, freeUser, await sendUpload(freeUser, 'free 3')),
    confirmCall(environment, premiumUser, await sendUpload(premiumUser, 'premium 1')),
    confirmCall(environment, premiumUser, await sendUpload(premiumUser, 'premium 2')),
    renewCall(
      environment,
      premiumUser,
      await makeFile(premiumUser, { name: 'renewed 1', days: '3' }),
    ),
    renewCall(
      environment,
      premiumUser,
      await makeFile(premiumUser, { name: 'renewed 2', days: '5' }),
    ),
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

async function sendUpload(user: Client, name: string): Promise<SentUpload> {
  const bytes = new Uint8Array(randomBytes(1 + (randomBytes(2).readUInt16BE() % maxBytes)))
  const { cloudKey, ...upload } = await startUpload(user, { name, size: bytes.length })
  await expectOk(await putBytes({ cloudKey, ...upload }, bytes))
  return { name, cloudKey, bytes }
}

function confirmCall(
  environment: Environment,
  user: Client,
  { name, cloudKey, bytes }: SentUpload,
): PendingCall {
  const sendConfirm = () => requestConfirm(user, cloudKey)
  const readFile = async (response: Response): Promise<File> => {
    await expectOk(response)
    return json<File>(response)
  }
  let response: Response | null = null
  return {
    kind: 'confirm',
    async send() {
      response = await sendAndRead(sendConfirm)
    },
    async verify(links) {
      const confirmedFile = response && (await readFile(response))
      const listedFile = (await listFiles(user)).get(name)
      if (confirmedFile) expect(getLinkFields(listedFile)).toEqual(getLinkFields(confirmedFile))
      if (listedFile) await expectDownload(environment, listedFile.shortCode, bytes)
      const retriedFile = await readFile(await sendConfirm())
      if (listedFile) expect(getLinkFields(retriedFile)).toEqual(getLinkFields(listedFile))
      // The restarted server may not have computed the file's SHA-256 yet.
      expect([sha256(bytes), null]).toContain(retriedFile.sha256)
      await expectDownload(environment, retriedFile.shortCode, bytes)
      links.set(retriedFile.shortCode, bytes)
      if (confirmedFile) return 'acknowledged'
      return listedFile ? 'applied' : 'not applied'
    },
  }
}

function renewCall(
  environment: Environment,
  user: Client,
  file: File & { bytes: Bytes },
): PendingCall {
  const { id, originalName, bytes } = file
  const sendRenewal = () => requestRenewal(user, id, { expirationDays: renewalDays })
  const readFile = async (response: Response): Promise<File> => {
    await expectOk(response)
    return json<File>(response)
  }
  let response: Response | null = null
  return {
    kind: 'renewal',
    async send() {
      response = await sendAndRead(sendRenewal)
    },
    async verify(links) {
      const renewedFile = response && (await readFile(response))
      const newExpiry = new Date(
        environment.server.now().getTime() + renewalDays * dayMs,
      ).toISOString()
      const listedFile = (await listFiles(user)).get(originalName)
      if (renewedFile) expect(getLinkFields(listedFile)).toEqual(getLinkFields(renewedFile))
      const isRenewed = listedFile?.shortCode !== file.shortCode
      if (renewedFile) expect(isRenewed).toBe(true)
      // Whether the file list shows the new link or the old one, the expiry must belong to that
      // link.
      expect(listedFile?.expiresAt).toBe(isRenewed ? newExpiry : file.expiresAt)
      await expectDownload(environment, listedFile?.shortCode ?? '', bytes)
      if (isRenewed) await expectLinkEnded(environment, file.shortCode)

      const retriedFile = await readFile(await sendRenewal())
      expect(retriedFile).toMatchObject({ id, expiresAt: newExpiry })
      await expectDownload(environment, retriedFile.shortCode, bytes)
      await expectLinkEnded(environment, listedFile?.shortCode ?? '')
      links.set(retriedFile.shortCode, bytes)
      if (renewedFile) return 'acknowledged'
      return isRenewed ? 'applied' : 'not applied'
    },
  }
}

/**
 * Sends a request and reads the whole response. Returns null if the server was killed or couldn't
 * reach its database.
 */
async function sendAndRead(request: () => Promise<Response>): Promise<Response | null> {
  const response = await request().catch(() => null)
  if (response && response.status >= 500) {
    await expectValidServerError(response)
    return null
  }
  const body = await response?.text().catch(() => null)
  return response && typeof body === 'string'
    ? new Response(body, { status: response.status })
    : null
}

function getLinkFields(file: File | undefined) {
  return file && { id: file.id, shortCode: file.shortCode, expiresAt: file.expiresAt }
}

async function listFiles(user: Client): Promise<Map<string, File>> {
  const files = await json<File[]>(await user.fetch('/api/files'))
  const filesByName = new Map(files.map((file) => [file.originalName, file]))
  expect(filesByName.size).toBe(files.length)
  return filesByName
}

async function expectDownload({ server }: Environment, code: string, bytes: Bytes): Promise<void> {
  const response = await fetch(`${server.url}/api/download/${code}`)
  await expectOk(response)
  expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes))
}

async function expectLinkEnded({ server }: Environment, code: string): Promise<void> {
  expect((await fetch(`${server.url}/api/download/${code}`)).status).toBe(404)
}

/**
 * Asserts that the database and storage agree. No upload may be open.
 * @param renewalCount how many renewals there have been. Each has used up a short code.
 */
async function expectConsistent(
  { server, directDb, storageReader }: Environment,
  renewalCount: number,
): Promise<void> {
  await checkStoredFiles(directDb, storageReader)
  await checkFreeLimit(directDb, server.now(), defaultLimits.free.maxFiles ?? 0)
  const { rows } = await directDb.query(
    `select (select count(*) from uploads)::int as uploads,
      ((select count(*) from short_codes) - (select count(*) from links))::int as renewals`,
  )
  expect(rows).toEqual([{ uploads: 0, renewals: renewalCount }])
}

/** Asserts that every kind of call had every possible outcome at least once. */
function expectEveryOutcome(outcomeCounts: ReadonlyMap<string, number>): void {
  const kinds: PendingCall['kind'][] = ['confirm', 'renewal']
  const allOutcomes: Outcome[] = ['acknowledged', 'applied', 'not applied']
  const missingOutcomes = kinds.flatMap((kind) =>
    allOutcomes.map((outcome) => `${kind}: ${outcome}`).filter((key) => !outcomeCounts.has(key)),
  )
  expect(missingOutcomes).toEqual([])
}

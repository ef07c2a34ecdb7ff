import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bindStores } from '../src/server/boot/open-storage.ts'
import { openJobQueue } from '../src/server/jobs/job-queue.ts'
import { scheduleJobs } from '../src/server/jobs/jobs.ts'
import type { File } from '../src/shared/contract/files.ts'
import { openDirectDb } from './faults/direct-db.ts'
import { checkPurged, checkStoredFiles } from './faults/invariants.ts'
import { createDiskReader } from './faults/storage-reader.ts'
import { serveApp } from './support/app-server.ts'
import { getDueFileCode, insertDueFiles } from './support/due-files.ts'
import { findFreePort } from './support/free-port.ts'
import { hangTimeoutMs } from './support/hang-timeout.ts'
import {
  expectOk,
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  requestRenewal,
  sha256,
} from './support/make.ts'
import { freshDatabase } from './support/postgres.ts'
import { type PostgresProxy, startPostgresProxy } from './support/postgres-proxy.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { measureResidentMiB } from './support/resident-memory.ts'
import { chooseRounds, isLongRun } from './support/rounds.ts'
import { type ServerProcess, startServerProcess } from './support/server-process.ts'
import { testClock } from './support/test-clock.ts'

const dayMs = 24 * 60 * 60_000
/** How many files are due to be purged at startup. Only their rows exist, not their bytes. */
const dueRowCount = chooseRounds(1000, 1_000_000)
const ownerCount = chooseRounds(20, 20_000)
/** How many files a purge claims or completes in one statement. */
const filesInBatch = 100
/**
 * An idle server uses about 200 MiB. If it kept all rows in memory, it would use about 1,000 MiB.
 */
const maxMemoryMiB = 400
const pollMs = chooseRounds(250, 2000)
/** A long run purges a million files, which took 34 minutes on two busy cores. */
const timeoutMs = isLongRun ? 3 * 60 * 60_000 : 5 * hangTimeoutMs

type StoredFile = File & { bytes: Uint8Array<ArrayBuffer> }

let dataDir: string
let database: TestDatabase
let network: PostgresProxy
let directDb: ReturnType<typeof openDirectDb>
let server: ServerProcess

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-waking-'))
  database = await freshDatabase()
  network = await startPostgresProxy(database.url)
  directDb = openDirectDb(database.url)
})
afterAll(async () => {
  await directDb.end()
  await network.close()
  await database.drop()
  await rm(dataDir, { recursive: true })
})

/** Files that were stored before the server went down for several days. */
interface Backlog {
  premium: Person
  activeFile: StoredFile
  /** A file whose link has expired, but which its owner can renew. */
  renewable: StoredFile
  /** Files that are due to be purged. */
  expiredFiles: StoredFile[]
}

/** Stores files, most of which expire before the test starts the server, and queues a purge. */
async function createBacklog(): Promise<Backlog> {
  const now = new Date()
  const clock = testClock(new Date(now.getTime() - 4 * dayMs))
  const app = await serveApp(
    { url: database.url, drop: async () => {} },
    {
      dataDir,
      clock,
      openQueue: openJobQueue,
      // Hash passwords at production cost, because the server under test has to verify them.
      passwordCost: { N: 16_384, r: 16, p: 1 },
    },
  )
  await bindStores(app.deps)
  const premium = await makePerson(app, { tier: 'premium' })
  const freeUser = await makePerson(app)
  const renewableFile = await makeFile(premium)
  const expiredFiles = [await makeFile(freeUser), await makeFile(freeUser)]
  clock.set(now)
  const activeFile = await makeFile(premium)
  await insertDueFiles((text, values) => directDb.query(text, values), {
    files: dueRowCount,
    owners: ownerCount,
  })
  if (!app.jobQueue) throw new Error('there is no queue')
  await scheduleJobs(app.jobQueue)
  await app.jobQueue.boss.send('expire-files')
  await app.close()
  return { premium, activeFile, renewable: renewableFile, expiredFiles }
}

async function requestDownload(code: string): Promise<Response> {
  return fetch(`${server.url}/api/download/${code}`)
}

async function expectOpens({ shortCode, bytes }: Pick<StoredFile, 'shortCode' | 'bytes'>) {
  const response = await requestDownload(shortCode)
  await expectOk(response)
  expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes))
}

/** Asserts that a link works for neither API clients nor browsers. */
async function expectExpired(code: string) {
  const response = await requestDownload(code)
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({
    code: 'LINK_NOT_FOUND',
    message: 'File not found or expired',
  })
  const pageResponse = await fetch(`${server.url}/s/${code}`, { headers: { accept: 'text/html' } })
  expect(pageResponse.status).toBe(404)
  await pageResponse.arrayBuffer()
}

/** Waits until the server is ready. Returns true if it was ready at the first request. */
async function isReadyAtOnce(): Promise<boolean> {
  const readyStatus = async () => (await fetch(`${server.url}/api/ready`)).status
  if ((await readyStatus()) === 200) return true
  await expect.poll(readyStatus).toBe(200)
  return false
}

/**
 * Asserts that uploads and downloads work and that expired links don't. Returns the uploaded file.
 */
async function expectServes(
  person: Person,
  { activeFile, renewable: renewableFile, expiredFiles }: Backlog,
  round: number,
): Promise<StoredFile> {
  expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
  await expectOpens(activeFile)
  // Check files at both ends of the backlog.
  const dueCodes = [1 + (round % dueRowCount), dueRowCount - (round % dueRowCount)].map(
    getDueFileCode,
  )
  for (const code of [
    renewableFile.shortCode,
    ...expiredFiles.map((file) => file.shortCode),
    ...dueCodes,
  ]) {
    await expectExpired(code)
  }
  const newFile = await makeFile(person)
  await expectOpens(newFile)
  return newFile
}

/** Returns how many files of other users are still waiting to be purged. */
async function countDue({ id }: Person): Promise<number> {
  const { rows } = await directDb.query<{ count: number }>(
    'select count(*)::int as count from files where purged_at is null and owner_id <> $1',
    [id],
  )
  return rows[0]?.count ?? 0
}

/** Returns the number of purge statements sent since the last call. */
function drainStatements(): number {
  const purgeStatements = network.statements.filter((text) =>
    /update "files" set "(purging_at|purged_at)"/.test(text),
  )
  network.clearStatements()
  return purgeStatements.length
}

test(
  'purges each due file once at startup, without affecting users',
  async () => {
    const backlog = await createBacklog()
    const { premium } = backlog
    const dueCount = await countDue(premium)
    expect(dueCount).toBe(dueRowCount + backlog.expiredFiles.length)
    const env = { DATABASE_URL: network.url }
    server = await startServerProcess({ dataDir, port: await findFreePort(), env })
    onTestFinished(async () => {
      server.kill('SIGTERM')
      await server.exitCode
    })
    const cookie = await logIn(server, premium.email, premium.password)
    const person = { ...premium, ...makeClient(server, cookie) }

    const newFiles: StoredFile[] = []
    let checkCount = 0
    let notReadyCount = 0
    let peakMiB = 0
    let statementCount = 0
    let remainingCount = dueCount
    let progressAt = performance.now()
    while (remainingCount > 0) {
      if (!(await isReadyAtOnce())) notReadyCount += 1
      newFiles.push(await expectServes(person, backlog, newFiles.length))
      peakMiB = Math.max(peakMiB, measureResidentMiB(server.pid))
      statementCount += drainStatements()
      const remainingCountBefore = remainingCount
      remainingCount = await countDue(premium)
      if (remainingCount < remainingCountBefore) progressAt = performance.now()
      if (remainingCount > 0 && remainingCount < dueCount) checkCount += 1
      if (performance.now() - progressAt > hangTimeoutMs)
        throw new Error(`${remainingCount} files stay`)
      await wait(pollMs)
    }
    statementCount += drainStatements()
    const summary = {
      due: dueCount,
      checksDuring: checkCount,
      notReady: notReadyCount,
      peakMiB: Math.round(peakMiB),
      statements: statementCount,
    }
    process.stderr.write(`purge backlog: ${JSON.stringify(summary)}\n`)
    expect(checkCount).toBeGreaterThan(0)
    // On a busy machine, the readiness check may occasionally fail because the database takes
    // longer than 5 s.
    expect(notReadyCount).toBeLessThanOrEqual(1 + newFiles.length / 20)
    expect(peakMiB).toBeLessThan(maxMemoryMiB)
    // The margin allows for incomplete batches and for jobs that find nothing to purge.
    expect(statementCount).toBeLessThan((2.2 * dueCount) / filesInBatch + 20)

    // Each file was claimed only once and became due when it expired. The premium user's files are
    // unchanged.
    const { rows } = await directDb.query(
      `select
        (count(*) filter (where files.owner_id <> $1 and purge_tries = 1 and purge_due_at = expires_at
          and purged_at is not null))::int as once,
        (count(*) filter (where files.owner_id = $1 and purging_at is null))::int as kept
      from files join links on links.id = link_id`,
      [premium.id],
    )
    expect(rows).toEqual([{ once: dueCount, kept: newFiles.length + 2 }])
    const failedJobsResult = await directDb.query(
      'select job, failure from job_runs where failures > 0',
    )
    expect(failedJobsResult.rows).toEqual([])
    const diskReader = createDiskReader(dataDir)
    await checkPurged(directDb, diskReader)
    await checkStoredFiles(directDb, diskReader)
    const renewalResponse = await requestRenewal(person, backlog.renewable.id)
    await expectOk(renewalResponse)
    await expectOpens({ ...backlog.renewable, ...(await json<File>(renewalResponse)) })
    await expectOpens(backlog.activeFile)
  },
  timeoutMs,
)
